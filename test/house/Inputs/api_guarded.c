uint64_t sspur_buffer_size(const sspur_buffer *buffer)
{
	return buffer ? buffer->size : 0;
}

void sspur_context_free(sspur_context *context)
{
	FLOAT_ENVIRONMENT;
	if (context && !api_is_left_behind(context))
		free(context);
}

static sspur_error launch(sspur_kernel *kernel)
{
	return api_is_left_behind(kernel->context) ? SSPUR_ERROR_LOST : SSPUR_OK;
}

/* By another function of the file. */
sspur_error sspur_launch(sspur_kernel *kernel, const sspur_argument *arguments,
                         uint32_t count)
{
	FLOAT_ENVIRONMENT;
	return launch(kernel);
}

sspur_error sspur_synchronize(sspur_context *context)
{
	FLOAT_ENVIRONMENT;
	return api_is_left_behind(context) ? SSPUR_ERROR_LOST : settle(context);
}
