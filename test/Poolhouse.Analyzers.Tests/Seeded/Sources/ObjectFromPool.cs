namespace Seeded;

internal sealed class ObjectFromPool(ObjectPool<StringBuilder> pool, ObjectPool<StringBuilder> other)
{
    private readonly ObjectPool<StringBuilder> _pool = pool;
    private readonly ObjectPool<StringBuilder> _other = other;

    public string Greet(string name)
    {
        var builder = _pool.Get();
        try
        {
            return builder.Append("Hello, ").Append(name).ToString();
        }
        finally
        {
            _pool.Return(builder);
        }
    }

    public string Part(string name)
    {
        var text = _pool.Get();
        text.Append(name);
        var part = text.ToString();
        _pool.Return(text);
        return part;
    }

    public int Others() => _other.GetHashCode();
}

// mutant PH2001: returned twice
// - _pool.Return(text);
// + _pool.Return(text);
// + [|_pool.Return(text)|];

// mutant PH2002: turned into a string after the return
// - var part = text.ToString();
// - _pool.Return(text);
// - return part;
// + _pool.Return(text);
// + return [|text|].ToString();

// mutant PH2004: returned to another pool
// - _pool.Return(text);
// + [|_other.Return(text)|];

// mutant PH2003: returned in the try block and in finally
// - return builder.Append("Hello, ").Append(name).ToString();
// + var greeting = builder.Append("Hello, ").Append(name).ToString();
// + [|_pool.Return(builder)|];
// + return greeting;
// - _pool.Return(builder);
// + [|_pool.Return(builder)|];

// mutant PH2005: never returned
// - var text = _pool.Get();
// + var text = [|_pool.Get()|];
// - _pool.Return(text);
// - return part;
// + return part;
