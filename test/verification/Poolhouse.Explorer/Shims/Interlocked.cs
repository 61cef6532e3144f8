using System.Runtime.CompilerServices;
using Poolhouse.Explorer.Scheduling;
using Real = System.Threading.Interlocked;

namespace Poolhouse.Explorer.Shims;

/// <summary>Each operation is a point where the scheduler may switch; then the real operation is executed.</summary>
internal static class Interlocked
{
    private const string Location = "location";

    public static T CompareExchange<T>(
        ref T location, T value, T comparand, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("compare-exchange", where);
        return Real.CompareExchange(ref location, value, comparand);
    }

    public static T Exchange<T>(ref T location, T value, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("exchange", where);
        var taken = Real.Exchange(ref location, value);

        // Here, too: what was taken may be used in a way that only this switch can disturb, without another operation.
        Actor.Step("exchanged", where);
        return taken;
    }

    public static int Increment(ref int location, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("increment", where);
        return Real.Increment(ref location);
    }

    public static long Increment(ref long location, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("increment", where);
        return Real.Increment(ref location);
    }

    public static int Decrement(ref int location, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("decrement", where);
        return Real.Decrement(ref location);
    }

    public static int Add(ref int location, int value, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("add", where);
        return Real.Add(ref location, value);
    }

    public static long Add(ref long location, long value, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("add", where);
        return Real.Add(ref location, value);
    }

    public static int Or(ref int location, int value, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("or", where);
        return Real.Or(ref location, value);
    }

    public static int And(ref int location, int value, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("and", where);
        return Real.And(ref location, value);
    }

    public static long Read(ref readonly long location, [CallerArgumentExpression(Location)] string where = "")
    {
        Actor.Step("read", where);
        return Real.Read(in location);
    }

    /// <summary>Nothing to do: the actor that runs next sees all writes.</summary>
    public static void MemoryBarrierProcessWide() => Actor.Step("barrier", "every processor");

    public static void MemoryBarrier() => Actor.Step("fence", "memory");
}
