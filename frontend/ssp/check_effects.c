#include <string.h>

#include "frontend/ssp/check.h"

/* In the order of hints: alphabetical. */
static const struct {
	const char *name;
	uint32_t effect;
} effect_names[EFFECT_COUNT] = {
    {"dev", EFFECT_DEV}, {"div", EFFECT_DIV}, {"env", EFFECT_ENV},   {"fs", EFFECT_FS},
    {"io", EFFECT_IO},   {"log", EFFECT_LOG}, {"proc", EFFECT_PROC}, {"time", EFFECT_TIME},
};

void check_perform(struct checker *c, uint32_t effects, struct span span)
{
	struct effect_scope *scope = &c->frame->effects;
	for (int i = 0; i < EFFECT_COUNT; i++) {
		if (effects & ~scope->performed & effect_names[i].effect)
			scope->spans[i] = span;
	}
	scope->performed |= effects;
}

void check_perform_scope(struct checker *c, const struct effect_scope *scope)
{
	for (int i = 0; i < EFFECT_COUNT; i++) {
		if (scope->performed & effect_names[i].effect)
			check_perform(c, effect_names[i].effect, scope->spans[i]);
	}
}

struct span check_effect_place(const struct effect_scope *scope, uint32_t effect)
{
	int i = 0;
	while (effect_names[i].effect != effect)
		i++;
	return scope->spans[i];
}

const char *check_effect_list(struct checker *c, uint32_t effects)
{
	struct text list = {0};
	for (int i = 0; i < EFFECT_COUNT; i++) {
		if (effects & effect_names[i].effect)
			text_add_format(&list, "%s%s", list.length ? ", " : "", effect_names[i].name);
	}
	const char *copy = arena_string(&c->scratch, text_string(&list));
	text_free(&list);
	return copy;
}

static uint32_t find_effect(const char *name)
{
	for (int i = 0; i < EFFECT_COUNT; i++) {
		if (strcmp(effect_names[i].name, name) == 0)
			return effect_names[i].effect;
	}
	return 0;
}

void check_effect_row(struct checker *c, struct definition *d)
{
	for (uint32_t i = 0; i < d->effect_count; i++) {
		struct effect_name *e = &d->effect_names[i];
		uint32_t effect = find_effect(e->name);
		if (effect & d->effects)
			diagnostic_add(c->diagnostics, "W_EFFECT_UNUSED", e->span, "`%s` is declared twice", e->name);
		d->effects |= effect;
		if (effect)
			continue;
		struct suggestion s = check_suggestion(c, e->name);
		for (int k = 0; k < EFFECT_COUNT; k++)
			check_suggest(&s, effect_names[k].name);
		struct diagnostic *item =
		    diagnostic_add(c->diagnostics, "E_UNKNOWN_NAME", e->span, "there is no effect `%s`", e->name);
		if (s.best)
			check_suggestion_hint(c, item, &s);
		else
			diagnostic_hint(c->diagnostics, item, "the effects are log, dev, io, time, env, fs, div, proc");
	}
}

void check_effects_declared(struct checker *c, struct definition *d, const struct effect_scope *scope, bool warn_unused)
{
	/* After errors in the body there may be more effects than those seen. */
	const char *row = check_effect_list(c, scope->performed | (warn_unused ? 0 : d->effects));
	/* A misspelt effect is reported already. */
	bool row_known = true;
	for (uint32_t i = 0; i < d->effect_count; i++)
		row_known &= find_effect(d->effect_names[i].name) != 0;
	for (int i = 0; i < EFFECT_COUNT && row_known; i++) {
		if (!(effect_names[i].effect & scope->performed & ~d->effects))
			continue;
		struct diagnostic *item =
		    diagnostic_add(c->diagnostics, "E_EFFECT_MISSING", scope->spans[i],
		                   "`%s` performs `%s`, which it does not declare", d->name, effect_names[i].name);
		diagnostic_hint(c->diagnostics, item, "write ` ! %s`", row);
	}
	for (uint32_t i = 0; warn_unused && i < d->effect_count; i++) {
		struct effect_name *e = &d->effect_names[i];
		uint32_t effect = find_effect(e->name);
		if (!effect || effect & scope->performed)
			continue;
		struct diagnostic *item = diagnostic_add(c->diagnostics, "W_EFFECT_UNUSED", e->span,
		                                         "`%s` never performs `%s`", d->name, e->name);
		if (scope->performed)
			diagnostic_hint(c->diagnostics, item, "write ` ! %s`", row);
		else
			diagnostic_hint(c->diagnostics, item, "remove the effect row");
	}
}

void check_effects_pure(struct checker *c, const char *clause, const struct effect_scope *scope)
{
	for (int i = 0; i < EFFECT_COUNT; i++) {
		if (effect_names[i].effect & scope->performed)
			diagnostic_add(c->diagnostics, "E_EFFECT_MISSING", scope->spans[i],
			               "a `%s` performs no effects, this performs `%s`", clause, effect_names[i].name);
	}
}
