namespace Seeded;

internal sealed class LeaseByHand(TieredObjectPool<StringBuilder> builders)
{
    public string Greet(string name)
    {
        var lease = builders.Rent();
        try
        {
            return lease.Value.Append("Hello, ").Append(name).ToString();
        }
        finally
        {
            lease.Dispose();
        }
    }

    public string Join(string[] names)
    {
        var lease = builders.Rent();
        var builder = lease.Value;
        builder.AppendJoin(", ", names);
        var joined = builder.ToString();
        lease.Dispose();
        return joined;
    }

    public StringBuilder Take()
    {
        var lease = builders.Rent();
        return lease.Detach();
    }
}

// mutant PH1001: the lease is never ended
// - var lease = builders.Rent();
// - var builder = lease.Value;
// + var lease = [|builders.Rent()|];
// + var builder = lease.Value;
// - lease.Dispose();
// - return joined;
// + return joined;

// mutant PH1002: the item is used after the end
// - var joined = builder.ToString();
// - lease.Dispose();
// - return joined;
// + lease.Dispose();
// + return [|builder|].ToString();

// mutant PH1002: the value is read after the end
// - return joined;
// + return joined + [|lease.Value|].Length;

// mutant PH1002: the value is read after a discard
// - lease.Dispose();
// - return joined;
// + lease.Discard();
// + return joined + [|lease.Value|].Length;

// mutant PH1011: the item is returned by hand under its lease
// - lease.Dispose();
// - return joined;
// + [|builders.Return(lease.Value)|];
// + lease.Dispose();
// + return joined;

// mutant PH1011: the item is returned by hand through a name
// - lease.Dispose();
// - return joined;
// + [|builders.Return(builder)|];
// + lease.Dispose();
// + return joined;

// mutant PH1007: the detached item is thrown away
// - return lease.Detach();
// + [|lease.Detach()|];
// + return new StringBuilder();

// mutant PH1003: the item is returned to the caller while its lease ends
// - var lease = builders.Rent();
// - return lease.Detach();
// + using var lease = builders.Rent();
// + return [|lease.Value|];
