"""Prints min_part_hours of a ring builder file as JSON. A pickle can run code: only what Swift writes is permitted."""
import json
import pickle
import sys

allowed = {('array', 'array'), ('array', '_array_reconstructor'), ('collections', 'defaultdict')}


class Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) not in allowed:
            raise pickle.UnpicklingError('%s.%s is not permitted' % (module, name))
        return super().find_class(module, name)


with open(sys.argv[1], 'rb') as file:
    builder = Reader(file).load()
print(json.dumps({'min_part_hours': builder['min_part_hours']}))
