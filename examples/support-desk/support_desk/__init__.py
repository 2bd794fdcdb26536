"""The support desk of a made-up shop for bicycle parts: answers from policies, opens tickets."""
