namespace Poolhouse.Tests;

/// <summary>Runs actions on separate threads and rethrows their exceptions.</summary>
internal static class Threads
{
    /// <summary>Runs the body on a thread that ends before this returns.</summary>
    public static void RunAlone(Action body) => Run(1, _ => body());

    /// <summary>Starts all threads together and waits for all.</summary>
    public static void Run(int count, Action<int> body)
    {
        var failures = new List<Exception>();
        using var start = new Barrier(count);
        var threads =
            Enumerable.Range(0, count).Select(number => new Thread(() => RunOne(number)) { IsBackground = true }).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        if (failures.Count > 0)
        {
            throw new AggregateException(failures);
        }

        void RunOne(int number)
        {
            start.SignalAndWait();
            try
            {
                body(number);
            }
            catch (Exception failure)
            {
                lock (failures)
                {
                    failures.Add(failure);
                }
            }
        }
    }
}
