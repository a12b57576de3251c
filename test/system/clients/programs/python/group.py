def check(address):
    problems = []
    if not address["street"]:
        problems.append(ValueError("street is empty"))
    if len(address["zip"]) != 5:
        problems.append(ValueError("zip has not 5 digits"))
    if problems:
        raise ExceptionGroup("address is not valid", problems)


check({"street": "", "zip": "123"})
