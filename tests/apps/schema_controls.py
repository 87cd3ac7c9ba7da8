"""Negative controls of a JSON Schema, made from it and from answers that are as it says."""

import jsonschema


def parts_of(schema, value, root, path=()):
    """Each object in `value`, where it stands, and a schema that describes it."""
    if "$ref" in schema:
        schema = root["definitions"][schema["$ref"].removeprefix("#/definitions/")]
    for branch in schema.get("oneOf", []):
        if jsonschema.Draft7Validator(branch | {"definitions": root.get("definitions", {})}).is_valid(value):
            yield from parts_of(branch, value, root, path)
    if isinstance(value, dict):
        yield path, value, schema
        for key, child in value.items():
            inner = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            if isinstance(inner, dict):
                yield from parts_of(inner, child, root, (*path, key))
    elif isinstance(value, list):
        for place, child in enumerate(value):
            yield from parts_of(schema.get("items", {}), child, root, (*path, place))


def changed_at(value, path, change):
    if not path:
        return change(value)
    changed = changed_at(value[path[0]], path[1:], change)
    if isinstance(value, dict):
        return value | {path[0]: changed}
    return [changed if place == path[0] else child for place, child in enumerate(value)]


def wrongly_accepted(schema, value):
    """What may be gone from objects of `value`, or be there besides, against what their schemas say."""
    validator = jsonschema.Draft7Validator(schema)
    for path, found, part in parts_of(schema, value, schema):
        for key in part.get("required", []):
            less = changed_at(value, path, lambda this: {name: this[name] for name in this if name != key})
            if key in found and validator.is_valid(less):
                yield f"without {[*path, key]}"
        if "properties" in part and validator.is_valid(changed_at(value, path, lambda this: this | {"seed": 7})):
            yield f"with {[*path, 'seed']}"


def told_but_not_required(schema, values):
    """Keys, by where they stand, that the schema describes and does not require, and that are always there."""
    kinds = {}
    for value in values:
        for path, found, part in parts_of(schema, value, schema):
            kind = tuple("[]" if isinstance(step, int) else step for step in path)
            described = set(found) & set(part.get("properties", {}))
            always, required = kinds.get(kind, (set(found), set()))
            kinds[kind] = (always & described, required | set(part.get("required", [])))
    return {(*kind, key) for kind, (always, required) in kinds.items() for key in always - required}
