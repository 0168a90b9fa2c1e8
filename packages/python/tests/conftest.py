import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mayfly_mail import Mayfly


@pytest.fixture
def scripted():
    """A service that gives prepared answers: (status, headers, body), None to break the connection, "hang" for none."""
    requests, answers = [], []
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            answer = answers.pop(0)
            if answer == "hang":
                ended.wait()
            if answer in (None, "hang"):
                self.close_connection = True
                return
            status, headers, content = answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content.encode(errors="surrogateescape"))

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    yield Mayfly(url, "mf_x"), requests, answers
    ended.set()
    server.shutdown()
    server.server_close()
