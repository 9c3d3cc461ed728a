/* What a device still holds, to be freed when it closes: an intrusive list. */
#ifndef SSPUR_RUNTIME_HOLDING_H
#define SSPUR_RUNTIME_HOLDING_H

/* First member of what is held. */
struct holding {
	struct holding *next, **link;
};

static inline void holding_add(struct holding **list, struct holding *h)
{
	h->next = *list;
	h->link = list;
	if (h->next)
		h->next->link = &h->next;
	*list = h;
}

static inline void holding_remove(struct holding *h)
{
	*h->link = h->next;
	if (h->next)
		h->next->link = h->link;
}

#endif
