/**
 * Maximum size of one write to a connection. Node's TLS keeps buffers as large as the largest write for the
 * lifetime of the connection, so large writes would cost memory on every idle connection.
 */
export const pieceBytes = 32 * 1024;

/** Splits bytes into pieces of at most {@link pieceBytes}, without copying. */
export function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += pieceBytes)
    yield bytes.subarray(offset, offset + pieceBytes);
}
