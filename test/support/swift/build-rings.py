"""Builds the rings of the layout on standard input into a folder: build-rings.py FOLDER. One process, since each costs seconds."""
import json
import sys

from swift.common.ring import RingBuilder

layout = json.load(sys.stdin)
for name, port, policy in [
    ('account', layout['ports']['account'], 'gold'),
    ('container', layout['ports']['container'], 'gold'),
    ('object', layout['ports']['object'], 'gold'),
    ('object-1', layout['ports']['object'], 'silver'),
]:
    builder = RingBuilder(6, 2, 0)
    for zone, node in enumerate(layout['nodes'], 1):
        for device in node['devices']:
            if policy in device['policies']:
                builder.add_dev({
                    'region': 1, 'zone': zone, 'ip': node['address'], 'port': port,
                    'replication_ip': node['address'], 'replication_port': port,
                    'device': device['name'], 'weight': device['weight'], 'meta': '',
                })
    builder.rebalance(seed='roost')
    builder.save('%s/%s.builder' % (sys.argv[1], name))
    builder.get_ring().save('%s/%s.ring.gz' % (sys.argv[1], name))
