import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib';
import type { NodeStatus, Workflow } from '../../model/types.ts';

/** A workflow of this many bytes is near what the API server takes. */
const largest = 1024 * 1024;
/** What a node's status may unpack to, in bytes. */
const unpackedLimit = 256 * 1024 * 1024;

/** A workflow whose nodes do not fit the API server even when they are packed. */
export class WorkflowTooLarge extends Error {
  override name = 'OperationError';
}

/** The nodes as they are, whether they are stored plain or packed. */
export function unpackNodes(workflow: Workflow): Workflow {
  const packed = workflow.status?.compressedNodes;
  if (!packed || !workflow.status) return workflow;
  const { compressedNodes, ...status } = workflow.status;
  return { ...workflow, status: { ...status, nodes: decode(packed) } };
}

function decode(packed: string): Record<string, NodeStatus> {
  const bytes = Buffer.from(packed, 'base64');
  const options = { maxOutputLength: unpackedLimit };
  const unpacked =
    bytes[0] === 0x1f && bytes[1] === 0x8b
      ? gunzipSync(bytes, options)
      : bytes.readUInt32LE(0) === 0xfd2fb528
        ? zstdDecompressSync(bytes, options)
        : brotliDecompressSync(bytes, options);
  return JSON.parse(unpacked.toString('utf8')) as Record<string, NodeStatus>;
}

/** The workflow with its nodes packed if it were too large otherwise. Throws a `WorkflowTooLarge`. */
export function packNodes(workflow: Workflow): Workflow {
  if (!workflow.status?.nodes || sizeOf(workflow) <= largest) return workflow;
  const { nodes, ...status } = workflow.status;
  const compressedNodes = gzipSync(JSON.stringify(nodes)).toString('base64');
  const packed = { ...workflow, status: { ...status, compressedNodes } };
  const size = sizeOf(packed);
  if (size <= largest) return packed;
  throw new WorkflowTooLarge(
    `workflow is longer than maximum allowed size for compressed nodes: ${size} bytes, ${largest} are allowed; split it, or pass large values as artifacts`,
  );
}

function sizeOf(workflow: Workflow): number {
  return Buffer.byteLength(JSON.stringify(workflow));
}
