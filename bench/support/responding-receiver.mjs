/**
 * A receiver that responds to each request on a plain connection with 204 as soon as it has all of it, and does nothing else. To be
 * forked; it sends its port.
 */
import { createServer } from "node:net";

const response =
  "HTTP/1.1 204 No Content\r\nVary: Accept-Encoding\r\nX-Server-Hostname: receiver-0\r\n" +
  "Date: Sun, 22 Nov 2026 03:21:00 GMT\r\n\r\n";

const server = createServer({ noDelay: true }, (socket) => {
  let missing = 0;
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes) => {
    if (missing === 0) {
      const end = bytes.indexOf("\r\n\r\n");
      missing = end + 4 + Number(/content-length: (\d+)/i.exec(bytes.latin1Slice(0, end))[1]);
    }
    missing -= bytes.length;
    if (missing === 0) socket.write(response, "latin1");
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
