/**
 * The most that is handed to a connection at once. Node's TLS keeps the buffers of the largest write for as long as the
 * connection lives: a megabyte written whole stays with each of a thousand idle connections.
 */
export const pieceBytes = 32 * 1024;

/** Cuts bytes into pieces of at most {@link pieceBytes}, without copying them. */
export function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += pieceBytes)
    yield bytes.subarray(offset, offset + pieceBytes);
}
