namespace Seeded;

// Legal but unusual: no finding at the level of a warning is allowed in this file.
internal sealed class LegalArrays : IDisposable
{
    private byte[]? _kept;
    private byte[] _grown = ArrayPool<byte>.Shared.Rent(16);

    public void KeepInAField(int count)
    {
        _kept = ArrayPool<byte>.Shared.Rent(count);
        _kept[0] = 1;
    }

    public void KeepALocalInAField(int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        array[0] = 1;
        _kept = array;
    }

    public void Grow()
    {
        var old = _grown;
        var larger = ArrayPool<byte>.Shared.Rent(old.Length * 2);
        old.CopyTo(larger, 0);
        _grown = larger;
        ArrayPool<byte>.Shared.Return(old);
    }

    public static void GrowALocal(Stream source)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(16);
        var used = 0;
        int read;
        while ((read = source.Read(buffer, used, buffer.Length - used)) > 0)
        {
            used += read;
            if (used == buffer.Length)
            {
                var larger = ArrayPool<byte>.Shared.Rent(buffer.Length * 2);
                Buffer.BlockCopy(buffer, 0, larger, 0, used);
                ArrayPool<byte>.Shared.Return(buffer);
                buffer = larger;
            }
        }

        ArrayPool<byte>.Shared.Return(buffer);
    }

    public static byte[] PassOn(int count) => ArrayPool<byte>.Shared.Rent(count);

    public static ArraySegment<byte> PassOnInASegment(int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        return new ArraySegment<byte>(array, 0, count);
    }

    public static Memory<byte> PassOnAsMemory(int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        return array.AsMemory(0, count);
    }

    public static void PassOnByOut(int count, out byte[] array)
    {
        array = ArrayPool<byte>.Shared.Rent(count);
        array[0] = 1;
    }

    public static void ReturnByRef(ref byte[]? array)
    {
        if (array is not null)
        {
            ArrayPool<byte>.Shared.Return(array);
            array = null;
        }
    }

    public static void ReturnAParameter(byte[] array) => ArrayPool<byte>.Shared.Return(array);

    public static void ReturnWithAFlag(int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        var returned = false;
        try
        {
            if (array[0] > 0)
            {
                ArrayPool<byte>.Shared.Return(array);
                returned = true;
            }
        }
        finally
        {
            if (!returned)
            {
                ArrayPool<byte>.Shared.Return(array);
            }
        }
    }

    public static void ReturnAndSetToNull(int count)
    {
        byte[]? array = ArrayPool<byte>.Shared.Rent(count);
        try
        {
            array[0] = 1;
            ArrayPool<byte>.Shared.Return(array);
            array = null;
        }
        finally
        {
            if (array is { } left)
            {
                ArrayPool<byte>.Shared.Return(left);
            }
        }
    }

    public static void RentAgainIntoTheSameLocal(int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        array[0] = 1;
        ArrayPool<byte>.Shared.Return(array);
        array = ArrayPool<byte>.Shared.Rent(count * 2);
        array[0] = 2;
        ArrayPool<byte>.Shared.Return(array);
    }

    public static int LengthAfterReturnIsCopied(int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        var length = array.Length;
        ArrayPool<byte>.Shared.Return(array);
        return length;
    }

    public static bool CompareAfterReturn(byte[] other)
    {
        var array = ArrayPool<byte>.Shared.Rent(other.Length);
        var same = ReferenceEquals(array, other);
        ArrayPool<byte>.Shared.Return(array);
        return same && other.Length > 0;
    }

    public static int ReturnInASwitch(int count, int kind)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        switch (kind)
        {
            case 0:
                ArrayPool<byte>.Shared.Return(array);
                return 0;
            case 1:
                array[0] = 1;
                ArrayPool<byte>.Shared.Return(array, clearArray: true);
                return 1;
            default:
                ArrayPool<byte>.Shared.Return(array);
                throw new ArgumentOutOfRangeException(nameof(kind));
        }
    }

    public static int CatchAndRethrow(Stream source, int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        int read;
        try
        {
            read = source.Read(array, 0, count);
        }
        catch (Exception)
        {
            ArrayPool<byte>.Shared.Return(array);
            throw;
        }

        ArrayPool<byte>.Shared.Return(array);
        return read;
    }

    public static bool CatchAndGiveUp(Stream source, int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        try
        {
            source.ReadExactly(array, 0, count);
        }
        catch (IOException)
        {
            ArrayPool<byte>.Shared.Return(array);
            return false;
        }

        ArrayPool<byte>.Shared.Return(array);
        return true;
    }

    public static int InnerFinallyBeforeOuterCatch(Stream source, int count)
    {
        try
        {
            var array = ArrayPool<byte>.Shared.Rent(count);
            try
            {
                return source.Read(array, 0, count);
            }
            finally
            {
                ArrayPool<byte>.Shared.Return(array);
            }
        }
        catch (IOException)
        {
            return -1;
        }
    }

    public static int Goto(Stream source, int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        var read = 0;
    again:
        read += source.Read(array, 0, count);
        if (read < count)
        {
            goto again;
        }

        ArrayPool<byte>.Shared.Return(array);
        return read;
    }

    public static void LocalFunctionReturns(int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        array[0] = 1;
        Release();

        void Release() => ArrayPool<byte>.Shared.Return(array);
    }

    public static void StaticLocalFunctionReturns(int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        array[0] = 1;
        Release(array);

        static void Release(byte[] owned) => ArrayPool<byte>.Shared.Return(owned);
    }

    public static Action ReturnedByADelegate(int count)
    {
        var array = ArrayPool<byte>.Shared.Rent(count);
        return () => ArrayPool<byte>.Shared.Return(array);
    }

    public static IEnumerable<int> InAnIterator(int count)
    {
        var array = ArrayPool<int>.Shared.Rent(count);
        try
        {
            for (var i = 0; i < count; i++)
            {
                yield return array[i];
            }
        }
        finally
        {
            ArrayPool<int>.Shared.Return(array);
        }
    }

    public static async IAsyncEnumerable<byte> InAnAsyncIterator(Stream source)
    {
        var array = ArrayPool<byte>.Shared.Rent(1);
        try
        {
            while (await source.ReadAsync(array.AsMemory(0, 1)) > 0)
            {
                yield return array[0];
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(array);
        }
    }

    public static void SeveralInOneFinally(int count)
    {
        byte[]? first = null;
        byte[]? second = null;
        try
        {
            first = ArrayPool<byte>.Shared.Rent(count);
            second = ArrayPool<byte>.Shared.Rent(count);
            first.AsSpan(0, count).CopyTo(second);
        }
        finally
        {
            if (second != null)
            {
                ArrayPool<byte>.Shared.Return(second);
            }

            if (first != null)
            {
                ArrayPool<byte>.Shared.Return(first);
            }
        }
    }

    public static void Swapped(int count)
    {
        var current = ArrayPool<byte>.Shared.Rent(count);
        var next = ArrayPool<byte>.Shared.Rent(count);
        for (var i = 0; i < 3; i++)
        {
            (current, next) = (next, current);
        }

        ArrayPool<byte>.Shared.Return(current);
        ArrayPool<byte>.Shared.Return(next);
    }

    public static int OneOfTwo(bool small)
    {
        var array = small ? ArrayPool<byte>.Shared.Rent(16) : ArrayPool<byte>.Shared.Rent(1024);
        var length = array.Length;
        ArrayPool<byte>.Shared.Return(array);
        return length;
    }

    public static int RentedOrGiven(byte[]? given, int count)
    {
        var array = given ?? ArrayPool<byte>.Shared.Rent(count);
        var first = array[0];
        if (given is null)
        {
            ArrayPool<byte>.Shared.Return(array);
        }

        return first;
    }

    public static int TheWholeArrayIsCapacity(Stream source, Stream target)
    {
        var array = ArrayPool<byte>.Shared.Rent(4096);
        var total = 0;
        for (int read; (read = source.Read(array, 0, array.Length)) != 0; total += read)
        {
            target.Write(array, 0, read);
        }

        ArrayPool<byte>.Shared.Return(array);
        return total;
    }

    public static void TheWholeArrayIsCleared(int count)
    {
        var array = ArrayPool<object>.Shared.Rent(count);
        array[0] = new object();
        Array.Clear(array, 0, array.Length);
        ArrayPool<object>.Shared.Return(array);
    }

    public static bool TryTake(int count, out byte[]? array)
    {
        array = null;
        var rented = ArrayPool<byte>.Shared.Rent(count);
        if (rented.Length < 64)
        {
            ArrayPool<byte>.Shared.Return(rented);
            return false;
        }

        array = rented;
        return true;
    }

    public static void OwnPoolThroughALocal(int count)
    {
        var pool = ArrayPool<byte>.Shared;
        var array = pool.Rent(count);
        ArrayPool<byte>.Shared.Return(array);
    }

    public static void InATuple(int count)
    {
        var pair = (Array: ArrayPool<byte>.Shared.Rent(count), Count: count);
        ArrayPool<byte>.Shared.Return(pair.Array);
    }

    public static void InAList(int count)
    {
        var arrays = new List<byte[]>();
        for (var i = 0; i < count; i++)
        {
            arrays.Add(ArrayPool<byte>.Shared.Rent(16));
        }

        foreach (var array in arrays)
        {
            ArrayPool<byte>.Shared.Return(array);
        }
    }

    public void Dispose()
    {
        var kept = Interlocked.Exchange(ref _kept, null);
        if (kept is not null)
        {
            ArrayPool<byte>.Shared.Return(kept);
        }

        ArrayPool<byte>.Shared.Return(_grown);
        _grown = [];
    }
}
