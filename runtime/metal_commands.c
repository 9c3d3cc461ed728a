#include "runtime/metal_commands.h"

#include <string.h>

static bool failed(const struct metal_commands *c)
{
	return c->failure.length != 0;
}

static void end_encoder(struct metal_commands *c)
{
	if (!c->encoder)
		return;
	METAL_SEND(c->m, c->encoder, end_encoding);
	metal_release(c->m, c->encoder);
	c->encoder = NULL;
}

/* The oldest batch. */
static void wait_for_one(struct metal_commands *c)
{
	struct metal_object *batch = c->committed[0];
	METAL_SEND(c->m, batch, wait);
	if (METAL_SEND(c->m, batch, status) != METAL_COMMANDS_COMPLETED && !failed(c))
		metal_error(c->m, "commit", METAL_SEND(c->m, batch, error), &c->failure);
	metal_release(c->m, batch);
	c->committed_count--;
	memmove(c->committed, c->committed + 1, c->committed_count * sizeof *c->committed);
}

static struct metal_object *begin(struct metal_commands *c, bool computes)
{
	if (c->recorded == METAL_COMMANDS)
		metal_commands_submit(c);
	if (failed(c))
		return NULL;
	if (c->encoder && c->computes != computes)
		end_encoder(c);
	if (!c->recording)
		c->recording = METAL_SEND(c->m, METAL_SEND(c->m, c->queue, command_buffer), retain);
	if (!c->encoder && c->recording) {
		struct metal_object *encoder = computes ? METAL_SEND(c->m, c->recording, compute_encoder)
		                                        : METAL_SEND(c->m, c->recording, blit_encoder);
		c->encoder = METAL_SEND(c->m, encoder, retain);
		c->computes = computes;
	}
	if (!c->encoder) {
		text_add(&c->failure, "commandBuffer: the device gives none");
		return NULL;
	}
	c->recorded++;
	return c->encoder;
}

struct metal_object *metal_commands_compute(struct metal_commands *c)
{
	return begin(c, true);
}

struct metal_object *metal_commands_blit(struct metal_commands *c)
{
	return begin(c, false);
}

bool metal_commands_submit(struct metal_commands *c)
{
	end_encoder(c);
	if (c->recording) {
		if (c->committed_count == METAL_BATCHES)
			wait_for_one(c);
		METAL_SEND(c->m, c->recording, commit);
		c->committed[c->committed_count++] = c->recording;
		c->recording = NULL;
		c->recorded = 0;
	}
	return !failed(c);
}

bool metal_commands_drain(struct metal_commands *c)
{
	metal_commands_submit(c);
	while (c->committed_count)
		wait_for_one(c);
	return !failed(c);
}

bool metal_commands_idle(const struct metal_commands *c)
{
	return !c->recording && !c->committed_count;
}
