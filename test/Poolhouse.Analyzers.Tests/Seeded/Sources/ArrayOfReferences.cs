namespace Seeded;

internal static class ArrayOfReferences
{
    public static string Join(IEnumerable<string> names, int count)
    {
        var array = ArrayPool<string>.Shared.Rent(count);
        var used = 0;
        foreach (var name in names.Take(count))
        {
            array[used++] = name;
        }

        var joined = string.Join(", ", array, 0, used);
        ArrayPool<string>.Shared.Return(array, clearArray: true);
        return joined;
    }
}

// mutant PH2008: the references stay alive
// - ArrayPool<string>.Shared.Return(array, clearArray: true);
// + [|ArrayPool<string>.Shared.Return(array)|];

// mutant PH2001: returned once with clearing and once without
// - ArrayPool<string>.Shared.Return(array, clearArray: true);
// + ArrayPool<string>.Shared.Return(array);
// + [|ArrayPool<string>.Shared.Return(array, clearArray: true)|];

// mutant PH2007: the whole array is joined
// - var joined = string.Join(", ", array, 0, used);
// + var joined = string.Join(", ", [|array|]);
