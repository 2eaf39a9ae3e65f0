"""A backend of Python's own HTTP server: keeps each request with the bytes of its body, and shows them at /log."""
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

log = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            total = 0
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                total += len(self.rfile.read(size))
                while self.rfile.readline().strip() and size == 0:
                    pass
                if size == 0:
                    return total
        return len(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

    def answer(self):
        # A parser that is asked for the log leaves it as it is.
        if self.path == "/log":
            return self.respond(json.dumps(log))
        entry = {"method": self.command, "url": self.path, "bodyBytes": -1}
        entry["via"] = len(self.headers.get_all("Via", []))
        log.append(entry)
        entry["bodyBytes"] = self.body()
        return self.respond("ok")

    def respond(self, text):
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
    setattr(Handler, "do_" + method, Handler.answer)

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
