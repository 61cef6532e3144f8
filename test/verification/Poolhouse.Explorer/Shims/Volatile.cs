using System.Runtime.CompilerServices;
using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Shims;

/// <summary>Each operation is a point where the scheduler may switch. The baton is a fence, so a plain access suffices.</summary>
internal static class Volatile
{
    public static T Read<T>(ref readonly T location, [CallerArgumentExpression(nameof(location))] string where = "")
    {
        if (!IsHint(where))
        {
            Actor.Step("read", where);
        }

        return location;
    }

    public static void Write<T>(ref T location, T value, [CallerArgumentExpression(nameof(location))] string where = "")
    {
        Actor.Step("write", where);
        location = value;
    }

    /// <summary>Here every access is in order.</summary>
    public static void ReadBarrier()
    {
    }

    // WaiterCache reads up to 128 slots, each to save an exchange that would find nothing: the exchange is the only step needed.
    // The names are those of its local and its field.
    private static bool IsHint(string where) => where is "slot" or "_slots[i]";
}
