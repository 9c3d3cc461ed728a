uint64_t sspur_buffer_size(const sspur_buffer *buffer)
{
	return settle(buffer->context);
}

void sspur_context_free(sspur_context *context)
{
	FLOAT_ENVIRONMENT;
	puts("api_is_left_behind(context)"); /* api_is_left_behind(context) */
	free(context);
}

static sspur_error launch(sspur_kernel *kernel)
{
	return api_is_left_behind(kernel->context) ? SSPUR_ERROR_LOST : SSPUR_OK;
}

/* The guard of the other is too late. */
sspur_error sspur_launch(sspur_kernel *kernel, const sspur_argument *arguments, uint32_t count)
{
	sspur_error status = launch(kernel);
	return status;
}

sspur_error sspur_synchronize(sspur_context *context)
{
	int before = fegetround();
	FLOAT_ENVIRONMENT;
	return settle(context) + before;
}
