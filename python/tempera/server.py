# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python functions as models for other programs, by the protocol UM-Bridge 1.0."""
from __future__ import annotations

import json
import math
import socketserver
import threading
from typing import Any, Callable, Mapping, Sequence, Union

Numbers = Sequence[float]
Function = Callable[..., Any]
"""Takes a list of parameters and returns as many numbers as there are data. May have an
attribute `gradient`, a function of the parameters and of weights of the results that returns
the transposed derivative, applied to the weights."""

LONGEST_BODY = 16 << 20
SECONDS_IDLE = 60


class _Refusal(Exception):
    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind = status, kind


def _invalid(message: str) -> _Refusal:
    return _Refusal(400, "InvalidInput", message)


class _Protocol:
    """Answers questions, without sockets."""

    def __init__(
        self, models: Mapping[str, Function], n_inputs: int, n_outputs: int
    ) -> None:
        self.models, self.n_inputs, self.n_outputs = models, n_inputs, n_outputs
        self.n_calls = {name: 0 for name in models}
        # Functions are asked one question at a time.
        self.lock = threading.Lock()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        try:
            if path == "/Info" and method in ("GET", "HEAD"):
                result: dict[str, Any] = {
                    "protocolVersion": 1.0,
                    "models": list(self.models),
                }
            elif method == "POST" and path in self._endpoints:
                result = self._ask(path, body)
            else:
                raise _Refusal(404, "InvalidInput", "There is no such path.")
            return 200, json.dumps(result, allow_nan=False).encode()
        except _Refusal as refusal:
            status, kind, message = refusal.status, refusal.kind, str(refusal)
        except Exception as error:  # Whatever a function raises: there is no result.
            status, kind = 500, "InvalidOutput"
            message = f"{type(error).__name__}: {error}"
        return status, json.dumps({"error": {"type": kind, "message": message}}).encode()

    def _ask(self, path: str, body: bytes) -> dict[str, Any]:
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            raise _invalid("The body is no JSON object.")
        name = request.get("name")
        if not isinstance(name, str) or name not in self.models:
            raise _Refusal(
                400, "ModelNotFound", f"There are: {', '.join(self.models)}."
            )
        return self._endpoints[path](self, name, request)

    def _model_info(self, name: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "support": {
                "Evaluate": True,
                "Gradient": hasattr(self.models[name], "gradient"),
                "ApplyJacobian": False,
                "ApplyHessian": False,
            }
        }

    def _input_sizes(self, name: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return {"inputSizes": [self.n_inputs]}

    def _output_sizes(self, name: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return {"outputSizes": [self.n_outputs]}

    def _input(self, request: Mapping[str, Any]) -> list[float]:
        given = request.get("input")
        if not isinstance(given, list) or len(given) != 1:
            raise _invalid("'input' must be a list of one list of numbers.")
        return _numbers(given[0], "The list of 'input'", self.n_inputs)

    def _evaluate(self, name: str, request: Mapping[str, Any]) -> dict[str, Any]:
        parameters = self._input(request)
        with self.lock:
            self.n_calls[name] += 1
            result = self.models[name](parameters)
        return {"output": [_result(result, self.n_outputs)]}

    def _gradient(self, name: str, request: Mapping[str, Any]) -> dict[str, Any]:
        gradient = getattr(self.models[name], "gradient", None)
        if gradient is None:
            raise _Refusal(400, "UnsupportedFeature", "There is no gradient.")
        parameters = self._input(request)
        for key in ("outWrt", "inWrt"):
            if request.get(key) != 0:
                raise _invalid(f"'{key}' must be 0.")
        weights = _numbers(request.get("sens"), "'sens'", self.n_outputs)
        with self.lock:
            result = gradient(parameters, weights)
        return {"output": _result(result, self.n_inputs)}

    def _unsupported(self, name: str, request: Mapping[str, Any]) -> dict[str, Any]:
        raise _Refusal(400, "UnsupportedFeature", "There is no such derivative.")

    _endpoints = {
        "/ModelInfo": _model_info,
        "/InputSizes": _input_sizes,
        "/OutputSizes": _output_sizes,
        "/Evaluate": _evaluate,
        "/Gradient": _gradient,
        "/ApplyJacobian": _unsupported,
        "/ApplyHessian": _unsupported,
    }


def _numbers(given: object, name: str, size: int) -> list[float]:
    if not isinstance(given, list) or len(given) != size:
        raise _invalid(f"{name} must have {size} numbers.")
    if not all(type(one) in (int, float) and math.isfinite(one) for one in given):
        raise _invalid(f"{name} has entries that are no numbers.")
    return [float(one) for one in given]


def _result(given: Any, size: int) -> list[float]:
    result = [float(one) for one in (given if hasattr(given, "__iter__") else [given])]
    if len(result) != size:
        raise _Refusal(
            500, "InvalidOutput", f"There are {len(result)} results instead of {size}."
        )
    if not all(map(math.isfinite, result)):
        raise _Refusal(500, "InvalidOutput", "A result is not finite.")
    return result


class _Handler(socketserver.StreamRequestHandler):
    """As much HTTP as the protocol needs; http.server takes several times longer."""

    disable_nagle_algorithm = True
    timeout = SECONDS_IDLE

    def handle(self) -> None:
        protocol: _Protocol = self.server.protocol  # type: ignore[attr-defined]
        try:
            while self._handle_one(protocol):
                pass
        except OSError:
            pass

    def _handle_one(self, protocol: _Protocol) -> bool:
        first = self.rfile.readline(8192).split()
        if len(first) != 3:
            return False
        length, is_kept, expects = 0, first[2] == b"HTTP/1.1", False
        for _ in range(100):
            line = self.rfile.readline(8192)
            if not line.endswith(b"\n"):
                return False
            if line in (b"\r\n", b"\n"):
                break
            key, _, value = line.partition(b":")
            key, value = key.strip().lower(), value.strip().lower()
            if key == b"content-length":
                if not value.isdigit() or int(value) > LONGEST_BODY:
                    return False
                length = int(value)
            elif key == b"connection":
                is_kept = value != b"close"
            elif key == b"expect":
                expects = True
        else:
            return False
        if expects:
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = self.rfile.read(length)
        if len(body) < length:
            return False
        method = first[0].decode("latin-1")
        status, answer = protocol.answer(method, first[1].decode("latin-1"), body)
        head = (
            f"HTTP/1.1 {status} {'OK' if status == 200 else 'Error'}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(answer)}\r\n"
            f"Connection: {'keep-alive' if is_kept else 'close'}\r\n\r\n"
        ).encode()
        self.wfile.write(head if method == "HEAD" else head + answer)
        return is_kept


class _TcpServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64


class Server:
    """Serves functions on this computer until it is closed; use it with `with`."""

    def __init__(
        self,
        models: Union[Function, Mapping[str, Function]],
        n_inputs: int,
        n_outputs: int,
        port: int = 0,
        address: str = "127.0.0.1",
    ) -> None:
        if callable(models):
            models = {"forward": models}
        self._protocol = _Protocol(models, n_inputs, n_outputs)
        self._server = _TcpServer((address, port), _Handler)
        self._server.protocol = self._protocol  # type: ignore[attr-defined]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://{self._server.server_address[0]!s}:{self.port}"

    @property
    def n_calls(self) -> dict[str, int]:
        """Evaluations of each model so far."""
        return dict(self._protocol.n_calls)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait(self) -> None:
        """Serve until Ctrl-C."""
        try:
            self._thread.join()
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(
    models: Union[Function, Mapping[str, Function]],
    n_inputs: int,
    n_outputs: int,
    port: int = 4242,
    address: str = "127.0.0.1",
) -> None:
    """Serve a function, or several by name, until Ctrl-C.

    Args:
        models: See `Function`; one function is the model "forward".
        n_inputs: Number of parameters.
        n_outputs: Number of predictions.
        port: Where to listen.
        address: Others than this computer's own can be reached by strangers.
    """
    with Server(models, n_inputs, n_outputs, port, address) as server:
        print(f"-- serving at {server.url}, until Ctrl-C", flush=True)
        server.wait()
