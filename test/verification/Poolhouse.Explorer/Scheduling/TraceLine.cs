using System.Diagnostics;

namespace Poolhouse.Explorer.Scheduling;

/// <summary>A line of a trace: which actor is about to execute which step, and where.</summary>
internal static class TraceLine
{
    public static string Of(Actor actor, string operation, string where)
    {
        var frame = new StackTrace(skipFrames: 2, fNeedFileInfo: true).GetFrames().FirstOrDefault(IsOfThePool);
        var place = frame?.GetMethod() is { } method
            ? $"{method.DeclaringType?.Name}.{method.Name}{(frame.GetFileLineNumber() is > 0 and var line ? $":{line}" : "")}"
            : "";
        return $"{actor,-12} {operation} {where,-24} {place}".TrimEnd();
    }

    private static bool IsOfThePool(StackFrame frame)
    {
        var home = frame.GetMethod()?.DeclaringType?.Namespace ?? "";
        return home.StartsWith("Poolhouse", StringComparison.Ordinal)
            && home is not "Poolhouse.Explorer.Shims" and not "Poolhouse.Explorer.Scheduling";
    }
}
