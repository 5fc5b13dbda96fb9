#pragma once

#include <gtest/gtest.h>

#include "dcube/metrics/embedding_metrics.hpp"

namespace dcube {

/// A closed form gives the figures that counting gives.
inline void expect_equal(const ClosedForm& form, const EmbeddingMetrics& metrics) {
  EXPECT_EQ(form.distances, metrics.constant_distances);
  EXPECT_EQ(form.longest_dilation, metrics.longest_dilation);
  EXPECT_EQ(form.total_dilation, metrics.total_dilation);
  EXPECT_DOUBLE_EQ(form.average_dilation, metrics.average_dilation);
  EXPECT_EQ(form.spectrum, metrics.spectrum);
  EXPECT_EQ(form.node_load_min, metrics.one_way.node.min);
  EXPECT_EQ(form.node_load_max, metrics.one_way.node.max);
  EXPECT_DOUBLE_EQ(form.node_load_average.value(), metrics.one_way.node.mean);
  if (form.link_load_max) {
    EXPECT_EQ(form.link_load_min, metrics.one_way.link.min);
    EXPECT_EQ(form.link_load_max, metrics.one_way.link.max);
  }
}

}  // namespace dcube
