import json


def read_order(text):
    return json.loads(text)


read_order('{"customer": "bo", "items": [1, 2')
