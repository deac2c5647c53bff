# SPDX-License-Identifier: Apache-2.0
"""What is the same for all nodes of the model: operations, parameters, answers and errors (RFC 8040, RFC 8072)."""

from __future__ import annotations

import typing

Item = dict[str, typing.Any]

DATA = "application/yang-data+json"
_PATCH = "application/yang-patch+json"
_ROLES = "docs/access.md has the roles."
_ERRORS = {
    "400": "It is not of the model, or breaks a rule, which the message names. Nothing was stored.",
    "401": "The account or the password is missing or wrong.",
    "403": "The role of the account does not permit it.",
    "404": "There is no such path.",
    "409": "There is no such entry (data-missing), it exists already (data-exists), another client has changed it at "
           "the same time, or the disk has no room.",
    "429": "Too many logins have failed. Retry-After has the seconds to wait.",
    "503": "The controller is busy, carries out no changes yet, or cannot write its audit log. Nothing was changed."}
_CHANGES = {"put": "Stores it in the place of what is there", "patch": "Merges into what is stored",
            "delete": "Deletes it", "post": "Creates something in it that is not there yet"}


def head(version: str) -> Item:
    """The document without paths and components."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Penstock", "version": version,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "description": "RESTCONF (RFC 8040) of the controller: configuration, state, RPCs and events. A path for "
                           "each container and list entry; a leaf is a member of these. Rules among several leaves are "
                           "the controller's to check: it names them in its answer."},
        "servers": [{"url": "{controller}", "variables": {"controller": {
            "default": "http://127.0.0.1:8181", "description": "URL of a controller; https from other machines."}}}],
        "security": [{"account": []}]}


def components() -> Item:
    """Account, parameters, errors and their schemas."""
    error = {"type": "object", "required": ["error-type", "error-tag"], "properties": {
        "error-type": {"type": "string", "enum": ["transport", "rpc", "protocol", "application"]},
        "error-tag": {"type": "string"}, "error-message": {"type": "string"}, "error-path": {"type": "string"},
        "error-info": {}, "error-app-tag": {"type": "string"}}}
    errors = {"type": "object", "required": ["errors"], "properties": {"errors": {
        "type": "object", "required": ["error"], "properties": {"error": {
            "type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/error"}}}}}}
    return {
        "securitySchemes": {"account": {"type": "http", "scheme": "basic", "description": _ROLES}},
        "parameters": {
            "content": _query("content", {"type": "string", "enum": ["all", "config", "nonconfig"], "default": "all"},
                              "Configuration, state, or both."),
            "depth": _query("depth", {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 65535},
                                                {"type": "string", "enum": ["unbounded"]}]},
                            "Levels of the answer. What is deeper is left out, also where the schema needs it."),
            "fields": _query("fields", {"type": "string"}, "Names of the wanted nodes, as tenant/name. Others are left "
                             "out, also where the schema needs them.")},
        "responses": {f"error-{status}": {"description": words, "content": {
            DATA: {"schema": {"$ref": "#/components/schemas/errors"}}}} for status, words in _ERRORS.items()},
        "schemas": {"error": error, "errors": errors}}


def document(name: str, value: Item) -> Item:
    """The schema of a document with one member."""
    return {"type": "object", "additionalProperties": False, "required": [name], "properties": {name: value}}


def key(name: str, value: Item) -> Item:
    """The parameter for a key of a list."""
    return {"name": name, "in": "path", "required": True, "schema": value,
            "description": "Key of the entry, percent-encoded."}


def read(identifier: str, tag: str, body: Item) -> Item:
    """GET of a node."""
    return {"operationId": f"get-{identifier}", "tags": [tag], "summary": "Reads it",
            "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in ("content", "depth", "fields")],
            "responses": {"200": _answer("What is there.", body)}
            | _errors("400", "401", "403", "404", "409", "429")}


def change(method: str, identifier: str, tag: str, body: Item | None = None) -> Item:
    """PUT, PATCH, POST or DELETE of a node."""
    done = {"put": {"201": "Created.", "204": "Replaced."}, "patch": {"200": "Merged."}, "delete": {"204": "Deleted."},
            "post": {"201": "Created."}}[method]
    found: Item = {"operationId": f"{method}-{identifier}", "tags": [tag], "summary": _CHANGES[method]}
    if body is not None:
        found["requestBody"] = _body(body)
    return found | {"responses": {status: {"description": words} for status, words in done.items()}
                    | _errors("400", "401", "403", "404", "409", "429", "503")}


def call(identifier: str, tag: str, description: str, given: Item | None, answered: Item | None) -> Item:
    """POST of an RPC."""
    found: Item = {"operationId": f"call-{identifier}", "tags": [tag], "description": description}
    if given is not None:
        found["requestBody"] = _body(given)
    done: Item = {} if answered is None else {"200": _answer("The output.", answered)}
    done["204"] = {"description": "Done, without output."}
    return found | {"responses": done | _errors("400", "401", "403", "429", "503")}


def yang_patch() -> Item:
    """PATCH of the root: several edits in one transaction."""
    edit = {"type": "object", "additionalProperties": False, "required": ["edit-id", "operation", "target"],
            "properties": {
                "edit-id": {"type": "string"},
                "operation": {"type": "string", "enum": ["create", "delete", "insert", "merge", "move", "replace",
                                                         "remove"]},
                "target": {"type": "string", "description": "Path below /rests/data."},
                "point": {"type": "string"}, "where": {"type": "string", "enum": ["before", "after", "first", "last"]},
                "value": {"type": "object", "description": "Document of the target, as in a PUT of its path."}}}
    patch = {"type": "object", "additionalProperties": False, "required": ["patch-id", "edit"], "properties": {
        "patch-id": {"type": "string"}, "comment": {"type": "string"},
        "edit": {"type": "array", "items": edit}}}
    status = {"type": "object", "required": ["patch-id", "ok"], "properties": {"patch-id": {"type": "string"}}}
    return {"operationId": "yang-patch", "tags": ["YANG Patch"], "summary": "Carries out all edits, or none of them",
            "requestBody": _body(document("ietf-yang-patch:yang-patch", patch), _PATCH),
            "responses": {"200": _answer("All edits were carried out.",
                                         document("ietf-yang-patch:yang-patch-status", status))}
            | _errors("400", "401", "403", "404", "409", "429", "503")}


def events(notifications: Item) -> Item:
    """GET of the stream. notifications: the schema of each by its name"""
    notification = {"type": "object", "required": ["event-time"], "additionalProperties": False, "properties": {
        "event-time": {"type": "string", "format": "date-time"}} | notifications}
    event = document("ietf-restconf:notification", notification)
    return {"operationId": "events", "tags": ["events"], "summary": "Events as they happen, until one side ends it",
            "description": "Server-sent events. Each one is a line `data: ` with the JSON of `x-event-schema`.",
            "responses": {"200": {"description": "The stream.", "content": {"text/event-stream": {
                "schema": {"type": "string"}, "x-event-schema": event}}}} | _errors("401", "403", "429", "503")}


def _query(name: str, value: Item, description: str) -> Item:
    return {"name": name, "in": "query", "required": False, "schema": value, "description": description}


def _body(body: Item, media_type: str = DATA) -> Item:
    return {"required": True, "content": {media_type: {"schema": body}}}


def _answer(description: str, body: Item) -> Item:
    return {"description": description, "content": {DATA: {"schema": body}}}


def _errors(*statuses: str) -> Item:
    return {status: {"$ref": f"#/components/responses/error-{status}"} for status in statuses}
