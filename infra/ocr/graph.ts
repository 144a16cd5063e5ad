import { floatsOf, int, ints, tensorOf, type Floats, type Network, type Node } from './onnx.ts';

/** A neural network while it is being rewritten: its steps in order of execution, and its constants by name. */
export class Graph {
  readonly #network: Network;
  readonly #constants = new Map<string, Floats>();
  readonly #added = new Map<string, Floats>();
  #nodes: Node[];
  #users = new Map<string, Node[]>();
  #maker = new Map<string, Node>();

  constructor(network: Network) {
    this.#network = network;
    this.#nodes = network.graph.node;
    for (const node of this.#nodes) {
      const floats = node.opType === 'Constant' && node.attribute[0]?.t && floatsOf(node.attribute[0].t);
      if (floats) this.#constants.set(node.output[0]!, floats);
    }
    this.#index();
  }

  #index(): void {
    this.#users = new Map();
    this.#maker = new Map();
    for (const node of this.#nodes) {
      for (const output of node.output) this.#maker.set(output, node);
      for (const input of node.input) this.#users.set(input, [...(this.#users.get(input) ?? []), node]);
    }
  }

  get nodes(): readonly Node[] {
    return this.#nodes;
  }

  usersOf(name: string): readonly Node[] {
    return this.#users.get(name) ?? [];
  }

  makerOf(name: string): Node | undefined {
    return this.#maker.get(name);
  }

  constant(name: string | undefined): Floats | undefined {
    return name === undefined ? undefined : this.#constants.get(name);
  }

  /** Returns a constant that is a single number; undefined for anything else. */
  scalar(name: string | undefined): number | undefined {
    const constant = this.constant(name);
    return constant?.data.length === 1 ? constant.data[0] : undefined;
  }

  /** Adds a constant. @returns its name. */
  add(dims: readonly number[], data: Float32Array): string {
    const name = `ringfence.${this.#added.size}`;
    this.#added.set(name, { dims, data });
    this.#constants.set(name, { dims, data });
    return name;
  }

  /**
   * Replaces steps with new ones, which run where the last old one ran. No other step may use the values that pass
   * between the old steps.
   */
  replace(old: readonly Node[], by: readonly Node[]): void {
    const gone = new Set(old);
    const last = old.reduce((found, node) => Math.max(found, this.#nodes.indexOf(node)), -1);
    this.#nodes = this.#nodes.flatMap((node, index) => (index === last ? by : gone.has(node) ? [] : [node]));
    this.#index();
  }

  /** Returns the only step that uses a value; undefined if no step or several steps use it. */
  onlyUserOf(name: string): Node | undefined {
    const users = this.usersOf(name);
    return users.length === 1 ? users[0] : undefined;
  }

  /** Returns the rewritten network, without unused constants. */
  finished(): Network {
    const { graph, ...rest } = this.#network;
    const isUsed = (name: string) => this.#users.has(name);
    const added = [...this.#added].filter(([name]) => isUsed(name)).map(([name, floats]) => tensorOf(name, floats));
    const node = this.#nodes.filter(({ opType, output }) => opType !== 'Constant' || output.some(isUsed));
    return { ...rest, graph: { ...graph, node, initializer: [...graph.initializer, ...added] } };
  }
}

/** Returns a step's inputs as a value and a single number; undefined if neither input is a single number. */
export function withScalar(graph: Graph, node: Node): { value: string; scalar: number } | undefined {
  const [a, b] = node.input as [string, string];
  const [left, right] = [graph.scalar(a), graph.scalar(b)];
  if (right !== undefined) return { value: a, scalar: right };
  return left === undefined ? undefined : { value: b, scalar: left };
}

export function attributeOf(node: Node, name: string) {
  return node.attribute.find((attribute) => attribute.name === name);
}

/** Whether a step is a convolution of single pixels (1x1), which needs no padding. */
export function isPointwise(graph: Graph, node: Node): boolean {
  const dims = graph.constant(node.input[1])?.dims;
  return node.opType === 'Conv' && dims?.[2] === 1 && dims[3] === 1 && (attributeOf(node, 'group')?.i ?? 1) === 1;
}

/** Makes a step that multiplies each channel by a number and adds a number. */
export function perChannel(graph: Graph, input: string, output: string, channels: number, scale = 1, offset = 0): Node {
  return convolution(input, output, channels, [
    graph.add([channels, 1, 1, 1], new Float32Array(channels).fill(scale)),
    graph.add([channels], new Float32Array(channels).fill(offset)),
  ]);
}

/** Makes a convolution of single pixels (1x1), in `group` groups of channels. */
export function convolution(input: string, output: string, group: number, parameters: readonly string[]): Node {
  return {
    opType: 'Conv',
    input: [input, ...parameters],
    output: [output],
    attribute: [int('group', group), ints('kernel_shape', [1, 1])],
  };
}
