io.stderr:write("till: the setting 'currency' is missing\n")
os.exit(4)
