/* Lines, comments and definitions in their one form (spec/sspur.md part 4).
 *
 * A comment keeps its statement: one on lines of its own stands before it (or at the end of a block, if it is as deep
 * as the block's lines), one behind it on its line stays there. What is printed on fewer lines than it was written on
 * has the comments from between its lines before it. Blank lines are kept, one at most. */
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/format.h"

enum { TAB_WIDTH = 8 };

/* ---- Places ---- */

static const char *line_begin(const struct printer *f, uint32_t offset)
{
	const char *bytes = f->program->source->bytes, *at = bytes + offset;
	while (at > bytes && at[-1] != '\n')
		at--;
	return at;
}

/* As the lexer counts it. */
static uint32_t indent_of(const struct printer *f, uint32_t offset)
{
	uint32_t indent = 0;
	for (const char *at = line_begin(f, offset); *at == ' ' || *at == '\t'; at++)
		indent = *at == ' ' ? indent + 1 : indent / TAB_WIDTH * TAB_WIDTH + TAB_WIDTH;
	return indent;
}

/* The line before the one of this place is blank. */
static bool blank_before(const struct printer *f, uint32_t offset)
{
	const char *bytes = f->program->source->bytes, *at = line_begin(f, offset);
	if (at == bytes)
		return false;
	for (at--; at > bytes && at[-1] != '\n'; at--)
		if (at[-1] != ' ' && at[-1] != '\t' && at[-1] != '\r')
			return false;
	return true;
}

/* ---- Comments ---- */

/* The first at or behind the place. */
static uint32_t find_comment(const struct printer *f, uint32_t offset)
{
	uint32_t low = 0, high = f->program->comment_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (f->program->comments[middle].span.start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_comment(struct printer *f, uint32_t i)
{
	const struct comment *c = &f->program->comments[i];
	const char *bytes = f->program->source->bytes;
	uint32_t end = c->span.end;
	while (end > c->span.start && (bytes[end - 1] == ' ' || bytes[end - 1] == '\t' || bytes[end - 1] == '\r'))
		end--;
	text_add_n(f->out, bytes + c->span.start, end - c->span.start);
	f->done[i] = f->commented = true;
}

/* How lines begin where the printer is: `first` until one is there. */
struct lines {
	bool first;      /* no blank line before it */
	bool blank;      /* a blank line before the next, come what may */
	bool no_newline; /* the very first line of all */
};

static void begin_line(struct printer *f, struct lines *l, bool blank)
{
	if (!l->no_newline) {
		if (l->blank || (blank && !l->first))
			text_add_char(f->out, '\n');
		format_newline(f);
	}
	*l = (struct lines){0};
}

/* Comments of [from, to) that are not printed yet, each on a line. */
static void comment_lines(struct printer *f, struct lines *l, uint32_t from, uint32_t to)
{
	const struct program *p = f->program;
	for (uint32_t i = find_comment(f, from); i < p->comment_count && p->comments[i].span.start < to; i++) {
		if (f->done[i])
			continue;
		begin_line(f, l, p->comments[i].own_line && blank_before(f, p->comments[i].span.start));
		add_comment(f, i);
	}
}

/* The first comment of [from, to) that stood behind something goes behind what has been printed. */
static void trailing_comment(struct printer *f, uint32_t from, uint32_t to)
{
	const struct program *p = f->program;
	for (uint32_t i = find_comment(f, from);
	     i < p->comment_count && p->comments[i].span.start < to && !f->commented; i++) {
		if (f->done[i] || p->comments[i].own_line)
			continue;
		text_add_char(f->out, ' ');
		add_comment(f, i);
	}
}

/* Those of [from, to) on lines of their own, as deep as `indent`, up to one that is not. */
static void tail_comments(struct printer *f, uint32_t from, uint32_t to, uint32_t indent)
{
	const struct program *p = f->program;
	struct lines l = {0};
	for (uint32_t i = find_comment(f, from); i < p->comment_count && p->comments[i].span.start < to; i++) {
		if (f->done[i])
			continue;
		if (!p->comments[i].own_line || indent_of(f, p->comments[i].span.start) < indent)
			return;
		begin_line(f, &l, blank_before(f, p->comments[i].span.start));
		add_comment(f, i);
	}
}

/* ---- Statements ---- */

/* Where the first block of several lines in `n` begins, with what may stand before its first line; else UINT32_MAX. */
static uint32_t first_block(const struct node *n)
{
	if (!n)
		return UINT32_MAX;
	if (n->kind == NODE_BLOCK && n->multi_line)
		return n->span.start;
	bool is_if = n->kind == NODE_IF, loop = n->kind == NODE_FOR || n->kind == NODE_WHILE;
	const struct node *head = is_if || n->kind == NODE_WHILE ? n->condition : n->left;
	uint32_t at = first_block(head);
	if (at != UINT32_MAX)
		return at;
	const struct node *body = is_if ? n->left : n->right;
	at = body == head ? UINT32_MAX : first_block(body);
	if (at != UINT32_MAX)
		return (is_if || loop) && body->kind == NODE_BLOCK ? head->span.end : at;
	if (is_if && (at = first_block(n->right)) != UINT32_MAX)
		return n->right->kind == NODE_BLOCK ? n->left->span.end : at;
	for (uint32_t i = 0; i < n->part_count && at == UINT32_MAX; i++)
		at = first_block(n->parts[i]);
	return at;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* What stands before a statement, `from` the end of the one before; then the start of its line. */
static void begin_statement(struct printer *f, struct lines *l, uint32_t from, const struct node *n)
{
	uint32_t inner = smaller(first_block(n), n->span.end);
	bool blank = blank_before(f, n->span.start);
	comment_lines(f, l, from, n->span.start);
	const struct lines before = *l;
	uint32_t length = (uint32_t)f->out->length;
	if (blank && !l->first)
		l->blank = true;
	comment_lines(f, l, n->span.start, inner);
	if (f->out->length == length) {
		*l = before;
		begin_line(f, l, blank);
	} else {
		begin_line(f, l, false);
	}
}

/* What stands behind it, before `limit`, and what is left inside. */
static void end_statement(struct printer *f, const struct node *n, uint32_t limit)
{
	struct lines l = {0};
	trailing_comment(f, n->span.start, limit);
	comment_lines(f, &l, n->span.start, n->span.end);
}

void format_lines(struct printer *f, const struct node *block, uint32_t from, bool all)
{
	uint32_t limit = f->limit, start = block->parts[0]->span.start, end = start;
	struct lines l = {.first = true};
	trailing_comment(f, from, start);
	f->level++;
	for (uint32_t i = 0; i < block->part_count; i++) {
		const struct node *n = block->parts[i];
		uint32_t next = i + 1 < block->part_count ? block->parts[i + 1]->span.start : limit;
		begin_statement(f, &l, i ? end : from, n);
		f->limit = next;
		format_node(f, n, FOLLOW_NOTHING);
		end_statement(f, n, smaller(next, limit));
		end = n->span.end;
	}
	f->limit = limit;
	tail_comments(f, end, limit, all ? 0 : indent_of(f, start));
	f->level--;
	f->after_block = true;
}

/* ---- Definitions ---- */

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t signature_end(const struct definition *d)
{
	uint32_t end = larger(d->name_span.end, d->grid_axes > 0 ? d->grid_span.end : 0);
	for (uint32_t i = 0; i < d->parameter_count; i++)
		end = larger(end, d->parameters[i].syntax->span.end);
	if (d->result_syntax)
		end = larger(end, d->result_syntax->span.end);
	for (uint32_t i = 0; i < d->effect_count; i++)
		end = larger(end, d->effect_names[i].span.end);
	return end;
}

static void print_signature(struct printer *f, const struct definition *d)
{
	text_add_format(f->out, "%sfn %s", d->kind == DEFINITION_KERNEL ? "kernel " : "", d->name);
	for (uint32_t i = 0; i < d->generic_count; i++)
		text_add_format(f->out, "%s%s%s", i ? ", " : "[", d->generics[i].name,
		                i + 1 == d->generic_count ? "]" : "");
	text_add(f->out, "(");
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		text_add_format(f->out, "%s%s: ", i ? ", " : "", d->parameters[i].name);
		format_type(d->parameters[i].syntax, f->out);
	}
	text_add(f->out, ")");
	if (d->result_syntax) {
		text_add(f->out, " -> ");
		format_type(d->result_syntax, f->out);
	}
	for (uint32_t i = 0; i < d->effect_count; i++)
		text_add_format(f->out, "%s%s", i ? ", " : " ! ", d->effect_names[i].name);
	if (d->grid_axes == 0)
		return;
	text_add_format(f->out, d->grid_axes == 1 ? " @grid(" : " @grid%u(", d->grid_axes);
	for (uint32_t i = 0; i < d->grid_count; i++) {
		format_token(f, i ? ", " : "");
		format_node(f, d->grid[i], FOLLOW_NOTHING);
	}
	format_token(f, ")");
}

/* The clause of the two kinds that comes next in the source. */
static const struct clause *next_clause(const struct definition *d, uint32_t *pre, uint32_t *post, bool *is_post)
{
	const struct clause *a = *pre < d->pre_count ? &d->pre[*pre] : NULL,
	                    *b = *post < d->post_count ? &d->post[*post] : NULL;
	*is_post = b && (!a || b->span.start < a->span.start);
	if (*is_post)
		++*post;
	else if (a)
		++*pre;
	return *is_post ? b : a;
}

/* The lines of a fn or kernel before its `=`. Returns where they end in the source. */
static uint32_t print_head(struct printer *f, const struct definition *d, uint32_t body)
{
	uint32_t pre = 0, post = 0, end = signature_end(d), limit = f->limit;
	bool is_post;
	struct lines l = {.first = true};
	f->limit = end;
	print_signature(f, d);
	const struct clause *clause = next_clause(d, &pre, &post, &is_post);
	trailing_comment(f, end, clause ? clause->span.start : body);
	f->level = 1;
	while (clause) {
		l.first = true;
		comment_lines(f, &l, end, f->limit = clause->span.end);
		begin_line(f, &l, false);
		text_add(f->out, is_post ? "post " : "pre ");
		format_node(f, clause->condition, FOLLOW_NOTHING);
		end = clause->span.end;
		clause = next_clause(d, &pre, &post, &is_post);
		trailing_comment(f, end, clause ? clause->span.start : body);
	}
	f->level = 0;
	f->limit = limit;
	f->after_block = false;
	return end;
}

static bool is_lines(const struct node *body)
{
	return body->kind == NODE_BLOCK && body->multi_line;
}

/* Comments before the `=` that stand deeper than it are the block's. */
static void comments_before_body(struct printer *f, uint32_t from, const struct definition *d)
{
	const struct node *body = d->body;
	const struct program *p = f->program;
	struct lines l = {.first = true};
	if (!is_lines(body)) {
		comment_lines(f, &l, from, smaller(first_block(body), d->span.end));
		return;
	}
	for (uint32_t i = find_comment(f, from);
	     i < p->comment_count && p->comments[i].span.start < body->parts[0]->span.start; i++) {
		if (f->done[i] || !p->comments[i].own_line || indent_of(f, p->comments[i].span.start) > 0)
			continue;
		begin_line(f, &l, false);
		add_comment(f, i);
	}
}

static void print_definition(struct printer *f, const struct definition *d, uint32_t limit)
{
	const struct node *body = d->body;
	f->limit = limit;
	uint32_t from = d->name_span.end;
	if (d->kind == DEFINITION_TEST) {
		text_add_format(f->out, "test %s = ", d->name);
	} else {
		from = print_head(f, d, body->span.start);
		comments_before_body(f, from, d);
		format_newline(f);
		text_add(f->out, "= ");
	}
	if (is_lines(body)) {
		text_add(f->out, "do");
		format_lines(f, body, from, false);
	} else {
		format_node(f, body, FOLLOW_NOTHING);
	}
	trailing_comment(f, body->span.start, limit);
	f->after_block = false;
}

/* Of what is printed before the definition: all in its signature, in a test up to its first block. */
static uint32_t head_end(const struct definition *d)
{
	if (d->kind != DEFINITION_TEST)
		return signature_end(d);
	return is_lines(d->body) ? d->name_span.end : smaller(first_block(d->body), d->span.end);
}

/* Where `profile sys` stands: behind blanks and comments. */
static uint32_t profile_start(const struct program *p)
{
	const char *at = p->source->bytes;
	while (strncmp(at, "profile", 7) != 0)
		at = at[0] == '/' ? at + strcspn(at, "\n") : at + 1;
	return (uint32_t)(at - p->source->bytes);
}

static void print_profile(struct printer *f, struct lines *l, uint32_t next)
{
	uint32_t start = profile_start(f->program);
	comment_lines(f, l, 0, start);
	begin_line(f, l, blank_before(f, start));
	text_add(f->out, "profile sys");
	trailing_comment(f, start, next);
	l->blank = true;
}

void program_format(const struct program *p, struct text *out)
{
	struct printer f = {
	    .out = out, .program = p, .done = memory_zeroed((size_t)p->comment_count + 1, sizeof(bool))};
	struct lines l = {.first = true, .no_newline = true};
	size_t start = out->length;
	uint32_t end = 0, length = (uint32_t)p->source->length;
	if (p->profile_sys)
		print_profile(&f, &l, p->definition_count > 0 ? p->definitions[0]->span.start : length);
	for (uint32_t i = 0; i < p->definition_count; i++) {
		const struct definition *d = p->definitions[i];
		uint32_t limit = i + 1 < p->definition_count ? p->definitions[i + 1]->span.start : length;
		l.blank |= i > 0;
		size_t before = out->length;
		comment_lines(&f, &l, end, d->span.start);
		bool blank = out->length > before && blank_before(&f, d->span.start);
		if (blank)
			l.blank = true;
		comment_lines(&f, &l, d->span.start, head_end(d));
		begin_line(&f, &l, false);
		f.level = 0;
		print_definition(&f, d, limit);
		end = d->span.start; /* what is left inside comes before the next */
	}
	comment_lines(&f, &l, end, length + 1);
	if (out->length > start)
		text_add_char(out, '\n');
	free(f.done);
}
