"""What an agent can reach while it works."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from orchestrator.api.part import Part, Rule
from orchestrator.api.values import Whole, must_write

NetworkMode = Literal["open", "restricted", "none"]


def _check_cidr(value: Any) -> str:
    try:
        if not isinstance(value, str) or "/" not in value:
            raise ValueError
        ipaddress.ip_network(value)
    except ValueError:
        raise must_write("an address range such as 10.20.0.0/16", value) from None
    return value


Cidr = Annotated[
    str,
    BeforeValidator(_check_cidr),
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 1,
            "maxLength": 43,
            "x-kubernetes-validations": [
                {
                    "rule": "isCIDR(self) && cidr(self).masked() == cidr(self)",
                    "message": "write an address range such as 10.20.0.0/16",
                },
            ],
        }
    ),
]


class AllowedPeer(Part):
    """Addresses outside the cluster that a restricted agent may reach."""

    cidr: Cidr = Field(examples=["10.20.0.0/16"], description="An address range, such as 10.20.0.0/16.")
    ports: Annotated[tuple[Annotated[Whole, Field(ge=1, le=65535)], ...], Field(max_length=32)] = Field(
        default=(), description="TCP ports; left out, all of them."
    )


class Network(Part):
    """What the agent can reach."""

    mode: NetworkMode = Field(
        default="restricted",
        description="open: everything; restricted: the validation service, the gateway and what allow lists; "
        "none: the validation service only.",
    )
    allow: Annotated[tuple[AllowedPeer, ...], Field(max_length=64)] = Field(
        default=(), description="More that a restricted agent may reach."
    )

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "self.mode == 'restricted' || !has(self.allow) || size(self.allow) == 0",
            "allow goes with mode: restricted only; set that mode or leave allow out",
            lambda self: self["mode"] == "restricted" or not self["allow"],
        ),
    )
