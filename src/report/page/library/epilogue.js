// What Vega's own index does: the transforms that charts may name, and its two entry points.
Object.assign(
  modules["vega-dataflow"].transforms,
  modules["vega-transforms"],
  modules["vega-view-transforms"],
  modules["vega-encode"],
);
const vega = {
  View: modules["vega-view"].View,
  parse: modules["vega-parser"].parse,
  changeset: modules["vega-dataflow"].changeset,
};
