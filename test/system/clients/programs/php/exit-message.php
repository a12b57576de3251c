<?php
fwrite(STDERR, "till: the setting 'currency' is missing\n");
exit(4);
