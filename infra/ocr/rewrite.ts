import { attributeOf, isPointwise, perChannel, withScalar, Graph } from './graph.ts';
import { rewriteDoublings } from './enlarge.ts';
import { decodeNetwork, encodeNetwork, float, type Node } from './onnx.ts';

/** Rewrites an ONNX model to a faster one with fewer passes over all pixels. @throws Error if it is not a model. */
export function rewritten(model: Uint8Array): Uint8Array {
  const graph = new Graph(decodeNetwork(model));
  foldScales(graph);
  foldIntoPointwise(graph, rewriteHardSwishes(graph));
  joinGates(graph);
  rewriteDoublings(graph);
  return encodeNetwork(graph.finished());
}

/** Folds a multiplication and an addition of single numbers into the weights of the convolution before them. */
function foldScales(graph: Graph): void {
  for (const conv of graph.nodes) {
    if (conv.opType !== 'Conv') continue;
    const scaled = scaleAfter(graph, conv.output[0]!);
    if (scaled === undefined) continue;
    const weight = graph.constant(conv.input[1])!;
    const bias = graph.constant(conv.input[2])?.data ?? new Float32Array(weight.dims[0]!);
    const parameters = [
      graph.add(
        weight.dims,
        weight.data.map((each) => each * scaled.scale),
      ),
      graph.add(
        [bias.length],
        bias.map((each) => each * scaled.scale + scaled.offset),
      ),
    ];
    const folded = { ...conv, input: [conv.input[0]!, ...parameters], output: [scaled.output] };
    graph.replace([conv, ...scaled.nodes], [folded]);
  }
}

interface Scaled {
  nodes: Node[];
  scale: number;
  offset: number;
  output: string;
}

/** Finds the multiplication and addition of single numbers that follow a value. No other step may use the value. */
function scaleAfter(graph: Graph, name: string): Scaled | undefined {
  const times = graph.onlyUserOf(name);
  const scale = times?.opType === 'Mul' ? withScalar(graph, times)?.scalar : undefined;
  if (times === undefined || scale === undefined) return undefined;
  const plus = graph.onlyUserOf(times.output[0]!);
  const offset = plus?.opType === 'Add' ? withScalar(graph, plus)?.scalar : undefined;
  if (plus === undefined || offset === undefined) return undefined;
  return { nodes: [times, plus], scale, offset, output: plus.output[0]! };
}

/** A step that multiplies by one number and adds another. */
interface Scale {
  node: Node;
  scale: number;
  offset: number;
}

/** Rewrites x * clip(x + 3, 0, 6) / 6, and the scaling after it. @returns the scales that remain to be folded. */
function rewriteHardSwishes(graph: Graph): Scale[] {
  const scales: Scale[] = [];
  for (const plus of graph.nodes) {
    const found = hardSwishAt(graph, plus);
    if (found === undefined) continue;
    const { input, output, nodes, channels } = found;
    const scaled = scaleAfter(graph, output);
    const [same, gate] = [`${output}.same`, `${output}.gate`];
    const swish = scaled === undefined ? output : `${output}.swish`;
    const steps: Node[] = [
      // A convolution that changes nothing: the runtime fuses it with the next steps.
      perChannel(graph, input, same, channels),
      { opType: 'HardSigmoid', input: [same], output: [gate], attribute: [float('alpha', 1 / 6), float('beta', 0.5)] },
      { opType: 'Mul', input: [input, gate], output: [swish], attribute: [] },
    ];
    if (scaled !== undefined) {
      const { scale, offset } = scaled;
      const node = perChannel(graph, swish, scaled.output, channels, scale, offset);
      steps.push(node);
      scales.push({ node, scale, offset });
    }
    graph.replace([...nodes, ...(scaled?.nodes ?? [])], steps);
  }
  return scales;
}

function hardSwishAt(graph: Graph, plus: Node) {
  if (plus.opType !== 'Add') return undefined;
  const { value: input, scalar } = withScalar(graph, plus) ?? {};
  const weight = graph.constant(graph.makerOf(input ?? '')?.input[1]);
  const clip = graph.onlyUserOf(plus.output[0]!);
  if (input === undefined || scalar !== 3 || weight === undefined || clip?.opType !== 'Clip') return undefined;
  const times = graph.onlyUserOf(clip.output[0]!);
  if (!isClip(graph, clip, 0, 6) || times?.opType !== 'Mul' || !times.input.includes(input)) return undefined;
  const by = graph.onlyUserOf(times.output[0]!);
  if (by?.opType !== 'Div' || graph.scalar(by.input[1]) !== 6) return undefined;
  return { input, output: by.output[0]!, nodes: [plus, clip, times, by], channels: weight.dims[0]! };
}

function isClip(graph: Graph, clip: Node, least: number, most: number): boolean {
  // Up to version 10 of the ONNX operators, the bounds are attributes, and a bound of 0 may be left out.
  const bound = (name: string, input: number) => {
    const attribute = attributeOf(clip, name);
    return attribute === undefined ? graph.scalar(clip.input[input]) : (attribute.f ?? 0);
  };
  return bound('min', 1) === least && bound('max', 2) === most;
}

/** Folds a scale into the convolutions after it, if none of them has padding. */
function foldIntoPointwise(graph: Graph, scales: readonly Scale[]): void {
  for (const { node, scale, offset } of scales) {
    const users = graph.usersOf(node.output[0]!);
    if (users.length === 0 || !users.every((user) => isPointwise(graph, user))) continue;
    for (const user of users) graph.replace([user], [foldedInto(graph, user, node.input[0]!, scale, offset)]);
    graph.replace([node], []);
  }
}

function foldedInto(graph: Graph, conv: Node, input: string, scale: number, offset: number): Node {
  const { dims, data } = graph.constant(conv.input[1])!;
  const [outputs = 0, inputs = 0] = dims;
  const bias = graph.constant(conv.input[2])?.data ?? new Float32Array(outputs);
  const sum = (output: number) =>
    data.subarray(output * inputs, (output + 1) * inputs).reduce((total, each) => total + each, 0);
  const parameters = [
    graph.add(
      dims,
      data.map((each) => each * scale),
    ),
    graph.add(
      [outputs],
      bias.map((each, output) => each + offset * sum(output)),
    ),
  ];
  return { ...conv, input: [input, ...parameters] };
}

/** Rewrites x + x * gate as x * (gate + 1), if the gate is one number for all pixels of a channel. */
function joinGates(graph: Graph): void {
  for (const plus of graph.nodes) {
    if (plus.opType !== 'Add') continue;
    const [input = '', gated = ''] = plus.input;
    const times = graph.makerOf(gated);
    const gate = times?.opType === 'Mul' && times.input[0] === input ? times.input[1]! : undefined;
    if (times === undefined || gate === undefined || graph.usersOf(gated).length !== 1) continue;
    if (graph.makerOf(gate)?.opType !== 'HardSigmoid') continue;
    const one = graph.add([1], Float32Array.of(1));
    graph.replace(
      [times, plus],
      [
        { opType: 'Add', input: [gate, one], output: [`${gate}.more`], attribute: [] },
        { ...times, input: [input, `${gate}.more`], output: plus.output },
      ],
    );
  }
}
