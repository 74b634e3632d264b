"""From qrels and runs to scores, in the order in which a row passes.

    frames -> ranking -> values
              pools -> bounds -> expectation, spread
                    -> evaluate -> summarise (query_sets, intervals)

Beside the way stand `query_coverage` (which queries there are, and the rules that only qrels and
runs together can break), `ties` and `tie_report` (documents with one score), and `parts` (inputs
larger than memory).
"""
