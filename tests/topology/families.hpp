#pragma once

// Families of machines that every topology's laws are checked on.

#include <fmt/format.h>

#include <functional>
#include <initializer_list>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

using Machines = std::vector<std::string>;

/// Machines that are checked together.
struct Family {
  std::string name;
  std::function<Machines()> machines;  ///< every test's process lists all families

  friend std::ostream& operator<<(std::ostream& out, const Family& family) {
    return out << family.name;
  }
};

inline std::vector<Family> catalogue_examples() {
  std::vector<Family> families;
  for (const TopologyKind* kind : topology_catalog()) {
    if (!kind->example.empty()) {  // else it is made from a file
      families.push_back({"Example_" + kind->name,
                          [kind] { return Machines{"kind=" + kind->name + "," + kind->example}; }});
    }
  }
  return families;
}

/// A machine for each number, which stands between the two texts.
inline Machines numbered(const std::string& before, int least, int most,
                         const std::string& after = {}) {
  Machines machines;
  for (int number = least; number <= most; ++number) {
    machines.push_back(before + std::to_string(number) + after);
  }
  return machines;
}

inline std::vector<std::string> small_shapes() {
  std::vector<std::string> shapes;
  for (int a = 1; a <= 7; ++a) {
    shapes.push_back(fmt::format("{}", a));
    for (int b = 1; b <= 7; ++b) {
      shapes.push_back(fmt::format("{}x{}", a, b));
    }
  }
  for (const char* shape :
       {"2x2x2", "1x1x1", "3x1x4", "4x4x4", "5x3x2", "2x6x4", "7x3x5", "1x5x1", "4x2x4", "6x6x3",
        "2x3x4x5", "4x4x2x4", "1x2x1x3", "3x3x3x3", "2x2x2x2", "4x1x7x2", "6x2x2x6"}) {
    shapes.emplace_back(shape);
  }
  return shapes;
}

inline Machines grids(const std::string& settings) {
  Machines machines;
  for (const std::string& shape : small_shapes()) {
    machines.push_back(fmt::format("{},shape={}", settings, shape));
  }
  return machines;
}

inline Machines twisted_tori() {
  Machines machines;
  for (const char* shape : {"2x4", "4x2", "4x8", "2x2x4", "2x4x2", "4x2x2", "2x4x4", "4x4x4",
                            "4x4x8", "3x6", "3x3x6", "6x3x6", "2x2x2x4", "5x10"}) {
    machines.push_back(fmt::format("kind=twisted_torus,shape={}", shape));
  }
  for (const char* settings :
       {"shape=4x6,twist=[[0,3],[0,0]]", "shape=5x4,twist=[[0,0],[2,0]]",
        "shape=2x5,twist=[[0,2],[0,0]]", "shape=3x4x5,twist=[[0,2,3],[0,0,0],[0,0,0]]",
        "shape=3x4x5,twist=[[0,0,2],[0,0,4],[0,0,0]]", "shape=1x4,twist=[[0,0],[0,0]]",
        "shape=4x5,twist=[[0,3],[0,0]]", "shape=7x3x2,twist=[[0,0,0],[3,0,0],[2,0,0]]",
        "shape=6,twist=[[0]]", "shape=3x1x4,twist=[[0,0,2],[0,0,0],[0,0,0]]"}) {
    machines.push_back(fmt::format("kind=twisted_torus,{}", settings));
  }
  return machines;
}

inline Machines partial_tori() {
  Machines machines;
  for (const char* settings :
       {"shape=4x5,wrap=[true,false]", "shape=4x5,wrap=[false,true]",
        "shape=3x4x5,wrap=[false,true,false]", "shape=4x4x2x3x2,wrap=[true,true,true,true,false]",
        "shape=4x4,wrap=[false,false]"}) {
    machines.push_back(fmt::format("kind=torus,{}", settings));
  }
  return machines;
}

inline Machines folded_grids() {
  Machines machines;
  for (const char* settings : {"torus,shape=[[2,2],4]", "torus,shape=2*3*2x3*2",
                               "torus,shape=3*3x4,wrap=[true,false,true]", "mesh,shape=3*3x2*2",
                               "torus,shape=[[2,4],[5,2]],tie=positive"}) {
    machines.push_back(fmt::format("kind={}", settings));
  }
  return machines;
}

inline Machines graphs() {
  return {"kind=graph,edges=[[0,1]]", "kind=graph,edges=[[0,1],[1,2],[2,0]]",
          "kind=graph,edges=[[3,0],[3,1],[3,2],[4,3],[4,5],[5,6],[6,0]]",
          "kind=graph,edges=[[0,1],[0,2],[0,3],[1,2],[1,3],[2,3],[3,4],[4,5],[5,6],[6,7],[7,0]]",
          "kind=graph,edges=[[0,1,a],[1,2],[2,3,b],[3,0,a],[1,3],[3,4,b]]"};
}

inline Machines fabrics() {
  Machines machines;
  for (const char* const settings :
       {"fat_tree,down=[4],up=[1]",
        "fat_tree,down=[3,2],up=[1,2]",
        "fat_tree,down=[2,3],up=[2,1]",
        "fat_tree,down=[2,2,3],up=[1,2,2],parallel=[1,1,2]",
        "fat_tree,down=[2,2,2,2],up=[2,1,2,3],parallel=[2,1,1,1]",
        "fat_tree,k=4",
        "fat_tree,down=[1],up=[1]",
        "dragonfly,p=1,a=1,h=1",
        "dragonfly,p=2,a=4,h=2",
        "dragonfly,p=1,a=4,h=2,g=4,arrangement=relative",
        "dragonfly,p=2,a=3,h=2,arrangement=circulant",
        "dragonfly,p=2,a=3,h=1,g=1",
        "dragonfly,p=1,a=6,h=1,local=[2,3],g=5",
        "dragonfly_plus,p=2,leaves=3,spines=2,h=2",
        "dragonfly_plus,p=1,leaves=2,spines=3,h=1,g=3,arrangement=circulant",
        "hyperx,shape=3x4,p=2",
        "hyperx,shape=2x3x2,width=[2,1,3]",
        "hyperx,shape=1x3",
        "slim_fly,q=5",
        "slim_fly,q=7",
        "polarfly,q=2",
        "polarfly,q=3,p=2",
        "polarfly,q=5",
        "jellyfish,routers=12,degree=3,seed=4,p=2",
        "jellyfish,routers=6,degree=5",
        "jellyfish,routers=9,degree=6,seed=1",
        "blocks,blocks=[switch:4,switch:3]",
        "blocks,blocks=[full:3,ring:5,line:2]",
        "blocks,blocks=[switch:3,fat_tree:2x3/1x2]",
        "blocks,blocks=[ring:2,switch:1,full:4]"}) {
    machines.push_back(fmt::format("kind={}", settings));
  }
  return machines;
}

inline std::vector<Family> all_families() {
  std::vector<Family> families = catalogue_examples();
  const std::initializer_list<Family> more{
      {"Lines", [] { return numbered("kind=line,nodes=", 1, 17); }},
      {"Rings", [] { return numbered("kind=ring,nodes=", 1, 17, ",tie=no_wrap"); }},
      {"RingsTiePositive", [] { return numbered("kind=ring,nodes=", 1, 17, ",tie=positive"); }},
      {"Meshes", [] { return grids("kind=mesh"); }},
      {"Tori", [] { return grids("kind=torus"); }},
      {"ToriTiePositive", [] { return grids("kind=torus,tie=positive"); }},
      {"Hypercubes", [] { return numbered("kind=hypercube,dimensions=", 0, 7); }},
      {"TwistedTori", twisted_tori},
      {"PartialTori", partial_tori},
      {"FoldedGrids", folded_grids},
      {"Graphs", graphs},
      {"Fabrics", fabrics}};
  families.insert(families.end(), more);
  return families;
}

}  // namespace dcube
