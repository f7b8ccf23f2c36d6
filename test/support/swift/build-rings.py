"""Builds the rings of the layout on standard input into a folder: build-rings.py FOLDER. One process, since each costs seconds."""
import json
import sys

from swift.common.ring import RingBuilder

layout = json.load(sys.stdin)
for ring in layout['rings']:
    builder = RingBuilder(6, ring['replicas'], 0)
    for zone, node in enumerate(layout['nodes'], 1):
        for device in node['devices']:
            if ring['policy'] in device['policies']:
                builder.add_dev({
                    'region': 1, 'zone': zone, 'ip': node['address'], 'port': ring['port'],
                    'replication_ip': node['address'], 'replication_port': ring['port'],
                    'device': device['name'], 'weight': device['weight'], 'meta': '',
                })
    builder.rebalance(seed='roost')
    builder.save('%s/%s.builder' % (sys.argv[1], ring['name']))
    builder.get_ring().save('%s/%s.ring.gz' % (sys.argv[1], ring['name']))
