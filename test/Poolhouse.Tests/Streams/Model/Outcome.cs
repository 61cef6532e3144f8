namespace Poolhouse.Tests.Streams.Model;

/// <summary>The outcome of a call as a comparable text: its result, or its error and where it was thrown.</summary>
internal static class Outcome
{
    public static string Of(Action call) => Of(() =>
    {
        call();
        return "done";
    });

    public static string Of(Func<string> call)
    {
        try
        {
            return call();
        }
        catch (Exception error)
        {
            return $"throws {Show(error)}";
        }
    }

    public static string OfTask<TResult>(Func<Task<TResult>> call, Func<TResult, string> show)
    {
        Task<TResult>? task = null;
        return OfTask(() => task = call(), () => show(task!.GetAwaiter().GetResult()));
    }

    /// <summary>Distinguishes an error that was thrown by the call from one of its task.</summary>
    public static string OfTask(Func<Task> call, Func<string>? show = null) => Of(() =>
    {
        var task = call();
        Assert.True(((IAsyncResult)task).AsyncWaitHandle.WaitOne(Background.Limit), "The task does not end.");
        return task.Status switch
        {
            TaskStatus.RanToCompletion => show?.Invoke() ?? "done",
            TaskStatus.Canceled => $"is cancelled, {Show(Record.Exception(() => task.GetAwaiter().GetResult())!)}",
            _ => $"fails with {Show(task.Exception!.InnerException!)}",
        };
    });

    public static string Show(ReadOnlySpan<byte> bytes)
    {
        var hash = default(HashCode);
        hash.AddBytes(bytes);
        return $"{bytes.Length} bytes {Convert.ToHexString(bytes[..Math.Min(bytes.Length, 40)])}#{hash.ToHashCode()}";
    }

    private static string Show(Exception error) => error switch
    {
        OperationCanceledException { CancellationToken.IsCancellationRequested: true } =>
            $"{error.GetType().Name} with its token",
        ArgumentException wrong => $"{error.GetType().Name}({wrong.ParamName})",
        _ => error.GetType().Name,
    };
}
