#pragma once

#include <stddef.h>
#include <stdint.h>

// What the module dcube-chakra.so tells the program of a trace. A plain C interface, so that the
// module needs nothing of the program. Change the name of the function when this changes.

// Texts end nowhere: their lengths stand beside them.
struct ChakraAttribute {
  const char* name;
  size_t name_bytes;
  enum : uint32_t { whole, real, text, truths, unknown } kind;
  int64_t whole_value;  // also a truth value
  double real_value;
  const char* text_value;  // also a list of truth values, a byte each
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
  // A node of the file. Nothing may be thrown.
  void (*node)(void* context, const ChakraNode* node);
  // What is wrong with the file, and with which of its messages, counted from 0. Comes last.
  void (*problem)(void* context, uint64_t message, const char* what);
};

// Reads the bytes of a file .et.
using ChakraRead = void (*)(const char* bytes, size_t size, const ChakraSink* sink);
#define DCUBE_CHAKRA_FUNCTION dcube_read_chakra_1
#define DCUBE_CHAKRA_FUNCTION_NAME "dcube_read_chakra_1"
