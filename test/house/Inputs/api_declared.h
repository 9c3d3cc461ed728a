SSPUR_API uint64_t sspur_buffer_size(const sspur_buffer *buffer);
SSPUR_API void sspur_context_free(sspur_context *context);
SSPUR_API sspur_error sspur_launch(sspur_kernel *kernel, const sspur_argument *arguments,
                                   uint32_t count);
SSPUR_API sspur_error sspur_synchronize(sspur_context *context);
