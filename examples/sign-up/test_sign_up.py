"""Runs against a server that is started with: npm start"""

import os
import urllib.parse
import urllib.request

APP_URL = f"http://127.0.0.1:{os.environ.get('APP_PORT', '8080')}"


def post(path, **form):
    body = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen(APP_URL + path, body) as response:
        return response.read().decode()


def test_signs_up_with_the_code_of_the_mail(inbox):
    post("/sign-up", email=inbox.address)
    code = inbox.wait_for_code(from_="@shop.example")
    assert "Welcome" in post("/confirm", email=inbox.address, code=code)


def test_takes_the_code_that_is_sent_again(inbox):
    post("/sign-up", email=inbox.address)
    inbox.wait_for_code()  # the first mail is there
    mark = inbox.mark()
    post("/send-again", email=inbox.address)
    code = inbox.wait_for_code(mark=mark)
    assert "Welcome" in post("/confirm", email=inbox.address, code=code)
