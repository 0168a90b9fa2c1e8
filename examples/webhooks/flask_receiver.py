"""Run with: SECRET=whsec_... python3 flask_receiver.py"""

import os

from flask import Flask, request
from mayfly_mail import SignatureError, verify_webhook

app = Flask(__name__)


@app.post("/hooks")
def hooks():
    try:
        event = verify_webhook(request.get_data(), request.headers, os.environ["SECRET"])
    except SignatureError:
        return "", 401
    print(f"{event['mailbox']}: {event['message']['subject']}", flush=True)
    return "", 204


if __name__ == "__main__":
    app.run(port=int(os.environ.get("RECEIVER_PORT", "4000")))
