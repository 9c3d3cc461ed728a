#include "targets/spirv/translator_shim.h"

#include <LLVMSPIRVLib/LLVMSPIRVLib.h>
#include <cstdlib>
#include <cstring>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <sstream>
#include <string>

static char *duplicate(const std::string &s)
{
	char *copy = static_cast<char *>(malloc(s.size() + 1));
	if (!copy)
		abort();
	memcpy(copy, s.data(), s.size());
	copy[s.size()] = 0;
	return copy;
}

/* No extension is allowed, and nothing may be contracted. */
static SPIRV::TranslatorOpts options(unsigned version)
{
	SPIRV::TranslatorOpts::ExtensionsStatusMap extensions;
	SPIRV::TranslatorOpts o(static_cast<SPIRV::VersionNumber>(version), extensions);
	o.setFPContractMode(SPIRV::FPContractMode::Off);
	return o;
}

extern "C" int translator_write(LLVMModuleRef module, unsigned version, char **bytes, size_t *size, char **error)
{
	std::ostringstream stream;
	std::string message;
	SPIRV::TranslatorOpts o = options(version);
	if (!llvm::writeSpirv(llvm::unwrap(module), o, stream, message)) {
		*error = duplicate(message);
		return 1;
	}
	std::string written = stream.str();
	*bytes = duplicate(written);
	*size = written.size();
	return 0;
}

extern "C" int translator_read(LLVMContextRef context, const void *bytes, size_t size, LLVMModuleRef *module,
                               char **error)
{
	std::istringstream stream(std::string(static_cast<const char *>(bytes), size));
	std::string message;
	llvm::Module *read = nullptr;
	SPIRV::TranslatorOpts o = options(0x00010400);
	o.setDesiredBIsRepresentation(SPIRV::BIsRepresentation::OpenCL12);
	if (!llvm::readSpirv(*llvm::unwrap(context), o, stream, read, message)) {
		*error = duplicate(message);
		return 1;
	}
	*module = llvm::wrap(read);
	return 0;
}
