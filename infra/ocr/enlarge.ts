import { attributeOf, convolution, type Graph } from './graph.ts';
import { int, type Floats, type Node } from './onnx.ts';

/** A step that doubles both sides of an image. `weight` has channels in, channels out, rows and columns. */
interface Doubling {
  weight: Floats;
  bias: Float32Array;
  nodes: Node[];
  output: string;
}

const PARTS = 4;

/** Speeds up the network's last two doublings: computes sixteen pixels as channels, and arranges them at the end. */
export function rewriteDoublings(graph: Graph): void {
  for (const node of graph.nodes) {
    const first = doublingAt(graph, node);
    const norm = first && normAt(graph, first.output);
    const second = norm && doublingAt(graph, graph.onlyUserOf(norm.output));
    if (first === undefined || norm === undefined || second === undefined) continue;
    const [quarters, sixteenths] = [`${first.output}.parts`, `${second.output}.parts`];
    const normed = `${quarters}.normed`;
    graph.replace(
      [...first.nodes, ...norm.nodes, ...second.nodes],
      [
        convolution(node.input[0]!, quarters, 1, partsOf(graph, first, norm)),
        { opType: 'Relu', input: [quarters], output: [normed], attribute: [] },
        convolution(normed, sixteenths, 1, partsOfParts(graph, second)),
        { opType: 'DepthToSpace', input: [sixteenths], output: [second.output], attribute: [int('blocksize', PARTS)] },
      ],
    );
  }
}

function doublingAt(graph: Graph, node: Node | undefined): Doubling | undefined {
  if (node?.opType !== 'ConvTranspose') return undefined;
  const weight = graph.constant(node.input[1]);
  const sides = [...(weight?.dims.slice(2) ?? []), ...(attributeOf(node, 'strides')?.ints ?? [])];
  const plus = graph.onlyUserOf(node.output[0]!);
  const bias = plus?.opType === 'Add' ? graph.constant(plus.input[1])?.data : undefined;
  if (weight === undefined || plus === undefined || bias === undefined) return undefined;
  if (sides.length !== 4 || sides.some((side) => side !== 2) || bias.length !== weight.dims[1]) return undefined;
  return { weight, bias, nodes: [node, plus], output: plus.output[0]! };
}

interface Norm {
  scale: (channel: number) => number;
  offset: (channel: number) => number;
  nodes: Node[];
  output: string;
}

/** Returns a normalisation with known constants that is followed by a cut-off at zero; undefined for other steps. */
function normAt(graph: Graph, name: string): Norm | undefined {
  const norm = graph.onlyUserOf(name);
  if (norm?.opType !== 'BatchNormalization') return undefined;
  const relu = graph.onlyUserOf(norm.output[0]!);
  const [gamma, beta, mean, variance] = norm.input.slice(1).map((input) => graph.constant(input)?.data);
  if (relu?.opType !== 'Relu' || !gamma || !beta || !mean || !variance) return undefined;
  const epsilon = attributeOf(norm, 'epsilon')?.f ?? 1e-5;
  const scale = (channel: number) => gamma[channel]! / Math.sqrt(variance[channel]! + epsilon);
  return {
    scale,
    offset: (channel) => beta[channel]! - mean[channel]! * scale(channel),
    nodes: [norm, relu],
    output: relu.output[0]!,
  };
}

/** Returns weights that compute, for each pixel, the channels of its four resulting pixels. */
function partsOf(graph: Graph, { weight, bias }: Doubling, { scale, offset }: Norm): string[] {
  const [inputs = 0, outputs = 0] = weight.dims;
  const data = new Float32Array(PARTS * outputs * inputs);
  const added = new Float32Array(PARTS * outputs);
  for (let part = 0; part < PARTS; part += 1) {
    for (let output = 0; output < outputs; output += 1) {
      const row = part * outputs + output;
      added[row] = bias[output]! * scale(output) + offset(output);
      for (let input = 0; input < inputs; input += 1)
        data[row * inputs + input] = weight.data[(input * outputs + output) * PARTS + part]! * scale(output);
    }
  }
  return [graph.add([PARTS * outputs, inputs, 1, 1], data), graph.add([PARTS * outputs], added)];
}

/** Returns weights that split each of the four pixels into four again, row by row in a square of four by four. */
function partsOfParts(graph: Graph, { weight, bias }: Doubling): string[] {
  const [inputs = 0, outputs = 0] = weight.dims;
  const rows = PARTS * PARTS * outputs;
  const data = new Float32Array(rows * PARTS * inputs);
  const added = new Float32Array(rows);
  for (let part = 0; part < PARTS; part += 1) {
    for (let within = 0; within < PARTS; within += 1) {
      const [down, across] = [2 * (part >> 1) + (within >> 1), 2 * (part & 1) + (within & 1)];
      for (let output = 0; output < outputs; output += 1) {
        const row = (down * PARTS + across) * outputs + output;
        added[row] = bias[output]!;
        for (let input = 0; input < inputs; input += 1)
          data[(row * PARTS + part) * inputs + input] = weight.data[(input * outputs + output) * PARTS + within]!;
      }
    }
  }
  return [graph.add([rows, PARTS * inputs, 1, 1], data), graph.add([rows], added)];
}
