import protobuf from 'protobufjs';

/** A neural network in the ONNX format. Only the features that the service's models use are supported. */
export interface Network {
  graph: {
    node: Node[];
    name: string;
    initializer: FormatTensor[];
    input: unknown[];
    output: unknown[];
  };
}

/** A step of a network. Inputs and outputs are names of values. */
export interface Node {
  input: string[];
  output: string[];
  name?: string;
  opType: string;
  attribute: Attribute[];
}

export interface Attribute {
  name: string;
  type: number;
  f?: number;
  i?: number;
  s?: Uint8Array;
  t?: FormatTensor;
  floats?: number[];
  ints?: number[];
}

interface FormatTensor {
  dims: number[];
  dataType: number;
  floatData?: number[];
  name: string;
  rawData?: Uint8Array;
}

/** Numbers with the lengths of their dimensions, row by row. */
export interface Floats {
  dims: readonly number[];
  data: Float32Array;
}

const FLOAT = 1;
const ATTRIBUTE_FLOAT = 1;
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_INTS = 7;

/** The messages and fields of onnx.proto (ONNX IR 8) that the service's models use. */
const { ModelProto } = protobuf.Root.fromJSON({
  nested: {
    ModelProto: fields({
      irVersion: ['int64', 1],
      graph: ['GraphProto', 7],
      opsetImport: ['bytes', 8, 'repeated'],
    }),
    GraphProto: fields({
      node: ['NodeProto', 1, 'repeated'],
      name: ['string', 2],
      initializer: ['TensorProto', 5, 'repeated'],
      input: ['bytes', 11, 'repeated'],
      output: ['bytes', 12, 'repeated'],
    }),
    NodeProto: fields({
      input: ['string', 1, 'repeated'],
      output: ['string', 2, 'repeated'],
      name: ['string', 3],
      opType: ['string', 4],
      attribute: ['AttributeProto', 5, 'repeated'],
    }),
    AttributeProto: fields({
      name: ['string', 1],
      f: ['float', 2],
      i: ['int64', 3],
      s: ['bytes', 4],
      t: ['TensorProto', 5],
      floats: ['float', 7, 'repeated'],
      ints: ['int64', 8, 'repeated'],
      type: ['int32', 20],
    }),
    TensorProto: fields({
      dims: ['int64', 1, 'repeated'],
      dataType: ['int32', 2],
      floatData: ['float', 4, 'repeated'],
      name: ['string', 8],
      rawData: ['bytes', 9],
    }),
  },
}).nested as { ModelProto: protobuf.Type };

function fields(all: Readonly<Record<string, readonly [type: string, id: number, rule?: 'repeated']>>) {
  return {
    fields: Object.fromEntries(
      Object.entries(all).map(([name, [type, id, rule]]) => [name, { type, id, ...(rule && { rule }) }]),
    ),
  };
}

/** Decodes a model file. @throws Error if the bytes are not an ONNX model. */
export function decodeNetwork(bytes: Uint8Array): Network {
  return ModelProto.toObject(ModelProto.decode(bytes), { longs: Number, arrays: true }) as Network;
}

export function encodeNetwork(network: Network): Uint8Array {
  return ModelProto.encode(ModelProto.fromObject(network)).finish();
}

/** Returns the numbers of a tensor; undefined if it does not hold 32-bit floats. */
export function floatsOf({ dims, dataType, rawData, floatData }: FormatTensor): Floats | undefined {
  if (dataType !== FLOAT) return undefined;
  if (rawData === undefined || rawData.length === 0) return { dims, data: Float32Array.from(floatData ?? []) };
  return { dims, data: new Float32Array(new Uint8Array(rawData).buffer) };
}

export function tensorOf(name: string, { dims, data }: Floats): FormatTensor {
  return {
    name,
    dims: [...dims],
    dataType: FLOAT,
    rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  };
}

export function float(name: string, f: number): Attribute {
  return { name, type: ATTRIBUTE_FLOAT, f };
}

export function int(name: string, i: number): Attribute {
  return { name, type: ATTRIBUTE_INT, i };
}

export function ints(name: string, values: readonly number[]): Attribute {
  return { name, type: ATTRIBUTE_INTS, ints: [...values] };
}
