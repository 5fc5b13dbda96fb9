"""What `dcube collective` refuses."""

import unittest

from program import ProgramTest


class CollectiveRefusals(ProgramTest):
    def test_what_is_compared_is_not_set(self):
        for setting, thing, option in (
            ("/program/bytes=8", "the size", "--bytes"),
            ("/program/value_bytes=8", "the size of a value", "--value-bytes"),
            ("/program/algorithm=ring", "the algorithm", "--algorithm"),
            ("/program/operation=broadcast", "the operation", "OPERATION"),
            ("/program=3", "the operation", "OPERATION"),
            ("/program/ports=1", "the ports", "--ports"),
            ("/program/root=1", "the root", "--root"),
            ("/program/compute=1ns", "the time to combine a byte", "--compute"),
            ("/program/over=[\"x\"]", "the groups", "--over"),
            ("/program/guest=ring:16", "the shape of the processes", "--axes"),
            ("/program/shape/0=2", "the shape of the processes", "--axes"),
            ("/program/repeat=10", "one operation", "leave it out"),
            ("/embedding=snake", "the embedding", "--embedding"),
            ("/embedding/kind=snake", "the embedding", "--embedding"),
            ("/seed=3", "the seed", "--seed"),
        ):
            with self.subTest(setting):
                self.assert_refused(["collective", "allreduce", "--machine", "torus:4x4", "--set", setting],
                                    f"dcube: --set: {setting.partition('=')[0]} changes what is compared, {thing} (", f"{option})\n")
        self.assert_refused(
            ["collective", "allreduce", "--machine", "torus:4x4", "--network", "fluid", "--set", "/machine/switching=store_and_forward"],
            "dcube: --set: /machine/switching changes what is compared, the network (name those to compare by --network)\n")
        for free in ("/program/processes=8", "/program/segment=64", "/machine/switching=store_and_forward"):
            self.output("collective", "allreduce", "--machine", "torus:4x4", "--bytes", "64", "--algorithm", "ring", "--set", free)

    def test_bad_input_is_one_line(self):
        for arguments, *complaint in (
            (["allreduc", "--machine", "torus:4x4"], "OPERATION: `allreduc` is not a collective that moves data; did you mean `allreduce`?"),
            (["barrier", "--machine", "torus:4x4"], "OPERATION: `barrier` is not a collective"),
            (["allreduce", "--machine", "nowhere"], '--machine: "nowhere" is no machine'),
            (["allreduce", "--machine", "torus:4x4", "--algorithm", "rings"], "--algorithm: `rings` is not an algorithm of allreduce; did you mean `ring`?"),
            (["allreduce", "--machine", "torus:4x4", "--algorithm", "ring,ring"], "--algorithm: ring is given twice"),
            (["allreduce", "--machine", "torus:4x4", "--embedding", "grey"], '--embedding: "grey" is no embedding'),
            (["allreduce", "--machine", "torus:4x4", "--bytes", "0"], "--bytes: 0 is not a size (at least 1 byte)"),
            (["allreduce", "--machine", "torus:4x4", "--bytes", "6"], "--bytes: 6 is not a multiple of 4 bytes; 8 is"),
            (["alltoall", "--machine", "torus:4x4", "--bytes", "32"], "--bytes: 32 is not a multiple of 64 bytes; 64 is"),
            (["allreduce", "--machine", "torus:4x4", "--root", "1"], "--root: allreduce has no root"),
            (["broadcast", "--machine", "torus:4x4", "--root", "16"], "--root: 16 is not one of the processes 0 to 15"),
            (["broadcast", "--machine", "torus:4x4", "--root", "-1"], "--root: -1 is not a rank (0 to "),
            (["broadcast", "--machine", "torus:4x4", "--compute", "1ns"], "--compute: broadcast combines nothing"),
            (["allreduce", "--machine", "torus:4x4", "--check-links", "--network", "fluid"], "--check-links: is about one network"),
            (["allreduce", "--machine", "torus:3x4", "--embedding", "xor"], "--embedding: nothing fits: ", " on xor: xor does not fit the 3x4 torus"),
            (["allreduce", "--machine", "torus:3x4", "--embedding", "xor,gray", "--algorithm", "swing_latency,ring"],
             "--embedding: nothing fits: ring on xor: "),
            (["allgather", "--machine", "torus:3x3", "--embedding", "xor,identity", "--algorithm", "neighbour_exchange"],
             "--algorithm: nothing fits: neighbour_exchange on xor: needs an even number of processes"),
            (["allreduce", "--machine", "torus:4x4", "--axes", "a=65536,b=65536"], '--axes: "torus:65536x65536" is not a process shape'),
            (["allreduce", "--machine", "torus:4x4", "--axes", "a=65536,b=65535"], "--axes: ", "has 4294901760 processes"),
            (["allreduce", "--machine", "torus:4x4", "--ports", "0"], "--ports: "),
            (["allreduce", "--machine", "torus:4x4", "--network", "wormhole"], "--network: `wormhole` is not a network"),
            (["allreduce", "--machine", "torus:4x4", "--set", "/machine/link/latncy=1"], "latncy: unknown key"),
            (["allreduce", "--machine", "torus:4x4", "--write", "pdf:x"], "--write: `pdf` is not a kind"),
        ):
            with self.subTest(complaint):
                self.assert_refused(["collective", *arguments], *complaint)


if __name__ == "__main__":
    unittest.main()
