"""Makes requests of S3 by boto3, and prints the bytes of bodies that went in and out, and the number of requests, as JSON."""
import json
import sys

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
import urllib.request

url, user, key, bucket = sys.argv[1:5]
counted = {"bytes_in": 0, "bytes_out": 0, "req_count": 0}
s3 = boto3.client(
    "s3",
    endpoint_url=url,
    aws_access_key_id=user,
    aws_secret_access_key=key,
    region_name="us-east-1",
    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}, retries={"max_attempts": 0}),
)


def sent(request, **_):
    counted["req_count"] += 1
    counted["bytes_in"] += int(request.headers.get("Content-Length", 0))


def received(response_dict, operation_name=None, **_):
    body = response_dict.get("body")
    if isinstance(body, bytes):
        counted["bytes_out"] += len(body)


s3.meta.events.register("before-send.s3", sent)
s3.meta.events.register("response-received.s3", lambda response_dict, **more: received(response_dict, **more))

part = b"p" * (5 << 20)
s3.create_bucket(Bucket=bucket)
s3.put_object(Bucket=bucket, Key="small", Body=b"x" * 4097)

upload = s3.create_multipart_upload(Bucket=bucket, Key="large")["UploadId"]
parts = []
for number, body in enumerate([part, part, b"end"], 1):
    answer = s3.upload_part(Bucket=bucket, Key="large", UploadId=upload, PartNumber=number, Body=body)
    parts.append({"PartNumber": number, "ETag": answer["ETag"]})
s3.complete_multipart_upload(Bucket=bucket, Key="large", UploadId=upload, MultipartUpload={"Parts": parts})

s3.copy_object(Bucket=bucket, Key="copy", CopySource={"Bucket": bucket, "Key": "small"})
for name, size in [("small", 4097), ("copy", 4097), ("large", 2 * len(part) + 3)]:
    data = s3.get_object(Bucket=bucket, Key=name)["Body"].read()
    assert len(data) == size, (name, len(data))
    counted["bytes_out"] += size
assert s3.head_object(Bucket=bucket, Key="large")["ContentLength"] == 2 * len(part) + 3

for method, name, body in [("get_object", "small", None), ("put_object", "presigned", b"y" * 1000)]:
    link = s3.generate_presigned_url(method, Params={"Bucket": bucket, "Key": name})
    request = urllib.request.Request(link, data=body, method="PUT" if body else "GET")
    if body:
        # The signature is of a request without a content type.
        request.add_header("Content-Type", "")
    with urllib.request.urlopen(request) as answer:
        counted["bytes_out"] += len(answer.read())
    counted["bytes_in"] += len(body or b"")
    counted["req_count"] += 1

# Its content is not compared: Swift lists an object when the container server got to know it.
s3.list_objects_v2(Bucket=bucket)
print(json.dumps(counted))
