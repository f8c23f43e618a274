"""A bounded cache in which every value is made once, however many threads ask for it at the same time."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import fields, is_dataclass
from typing import Generic, TypeVar

from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ResultCache(Generic[K, V]):
    """Values by key. The ones used longest ago go when the shelf is over its capacity; the newest always stays."""

    def __init__(self, capacity: int, weigh: Callable[[V], int] = lambda value: 1) -> None:
        self._capacity, self._weigh = capacity, weigh
        self._lock = threading.Lock()
        self._values: OrderedDict[K, Future[V]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        """Whether the value is made, so that `get` gives it at once."""
        with self._lock:
            future = self._values.get(key)
        return future is not None and future.done()

    def get(self, key: K, make: Callable[[], V], *, patience: float) -> V:
        """The value of a key: from the shelf, from the thread that is making it, or made here.

        What `make` raises reaches everyone who waits, and the next one tries again. If the thread that makes it is
        interrupted, one of those who wait takes over.

        Raises:
            HeadscopeError: another thread has not made it within `patience` seconds.
        """
        while True:
            with self._lock:
                future = self._values.get(key)
                if future is None:
                    promise = self._values[key] = Future()
                    break
                self._values.move_to_end(key)
            try:
                return future.result(patience)
            except CancelledError:
                continue
            except TimeoutError as error:
                raise busy(patience) from error
        try:
            value = make()
        except BaseException as error:
            with self._lock:
                del self._values[key]
            if isinstance(error, Exception) and not isinstance(error, Cancelled):
                promise.set_exception(error)
            else:
                promise.cancel()
            raise
        promise.set_result(value)
        self._shrink(key)
        return value

    def _shrink(self, newest: K) -> None:
        with self._lock:
            weights = {key: self._weigh(future.result()) for key, future in self._values.items() if future.done()}
            excess = sum(weights.values()) - self._capacity
            for key, weight in weights.items():
                if excess > 0 and key != newest:
                    del self._values[key]
                    excess -= weight


def busy(seconds: float) -> HeadscopeError:
    """What a visitor is told who has waited too long."""
    return HeadscopeError(f"the server is busy with other sentences (waited {seconds:.0f} s): try again in a moment")


def nbytes(result: object) -> int:
    """Memory of all arrays in a result, and of what else knows its own."""
    if isinstance(own := getattr(result, "nbytes", None), int):
        return own
    if isinstance(result, Mapping):
        result = tuple(result.values())
    if isinstance(result, tuple):
        return sum(map(nbytes, result))
    if is_dataclass(result):
        return sum(nbytes(getattr(result, field.name)) for field in fields(result))
    return 0
