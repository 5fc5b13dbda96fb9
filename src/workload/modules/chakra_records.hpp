#pragma once

#include <stddef.h>
#include <stdint.h>

// Records of a trace from the module dcube-chakra.so: a plain C interface, so that the module needs
// nothing of the program. Change the name of the function when this changes.

// Texts are not terminated; their lengths stand beside them.
struct ChakraAttribute {
  const char* name;
  size_t name_bytes;
  enum : uint32_t { whole, real, text, truths, unknown } kind;
  int64_t whole_value;  // or a truth value
  double real_value;
  const char* text_value;  // or truth values, a byte each
  size_t text_bytes;
};

struct ChakraNode {
  uint64_t id;
  const char* name;
  size_t name_bytes;
  uint32_t type;
  uint64_t duration_micros;
  const uint64_t* dependencies;  // control and data
  size_t dependency_count;
  const ChakraAttribute* attributes;
  size_t attribute_count;
};

struct ChakraSink {
  void* context;
  // Called for each node. Must not throw.
  void (*node)(void* context, const ChakraNode* node);
  // Called last if the file has an error: at which message, counted from 0.
  void (*problem)(void* context, uint64_t message, const char* what);
};

// Reads the content of a file .et.
using ChakraRead = void (*)(const char* bytes, size_t size, const ChakraSink* sink);
#define DCUBE_CHAKRA_FUNCTION dcube_read_chakra_1
#define DCUBE_CHAKRA_FUNCTION_NAME "dcube_read_chakra_1"
