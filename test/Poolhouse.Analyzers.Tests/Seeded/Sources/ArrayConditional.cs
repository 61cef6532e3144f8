namespace Seeded;

internal static class ArrayConditional
{
    public static string Format(int value, int width)
    {
        char[]? rented = null;
        var span = width <= 64 ? stackalloc char[64] : (rented = ArrayPool<char>.Shared.Rent(width));
        try
        {
            value.TryFormat(span, out var written);
            return new string(span[..written]);
        }
        finally
        {
            if (rented is not null)
            {
                ArrayPool<char>.Shared.Return(rented);
            }
        }
    }

    public static int CountLines(string text)
    {
        var rented = text.Length > 256 ? ArrayPool<char>.Shared.Rent(text.Length) : null;
        var lines = 0;
        if (rented != null)
        {
            text.CopyTo(rented);
            lines = rented.AsSpan(0, text.Length).Count('\n');
            ArrayPool<char>.Shared.Return(rented);
        }

        return lines;
    }
}

// mutant PH2001: returned twice where it was rented
// - if (rented is not null)
// - {
// - ArrayPool<char>.Shared.Return(rented);
// + if (rented is not null)
// + {
// + ArrayPool<char>.Shared.Return(rented);
// + [|ArrayPool<char>.Shared.Return(rented)|];

// mutant PH2002: counted after the return
// - lines = rented.AsSpan(0, text.Length).Count('\n');
// - ArrayPool<char>.Shared.Return(rented);
// + ArrayPool<char>.Shared.Return(rented);
// + lines = [|rented|].AsSpan(0, text.Length).Count('\n');

// mutant PH2001: returned in the branch and again behind it
// - return lines;
// + if (rented != null)
// + {
// + [|ArrayPool<char>.Shared.Return(rented)|];
// + }
// + return lines;

// mutant PH2007: counted to the end of the array
// - lines = rented.AsSpan(0, text.Length).Count('\n');
// + lines = [|rented|].AsSpan().Count('\n');
