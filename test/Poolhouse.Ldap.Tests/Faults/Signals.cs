using System.DirectoryServices.Protocols;
using System.Runtime.InteropServices;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Faults;

/// <summary>
/// libldap treats a signal as the loss of the server unless it is set to restart: every child process that ends sends one.
/// </summary>
public sealed class Signals
{
    private const int ChildEnded = 17;

    [Fact]
    public async Task A_signal_during_a_request_does_not_end_its_connection()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the number of the signal is that of Linux");
        var clock = new ManualTimeProvider();
        await using var directory = InProcessDirectory.Start(time: clock);
        await using var pool = directory.Pool();
        using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
        directory.Server.Faults.ResponseDelay = TimeSpan.FromMinutes(1);

        using var signalled = new ManualResetEventSlim();
        var thread = new TaskCompletionSource<nint>(TaskCreationOptions.RunContinuationsAsynchronously);
        var asking = DirectoryRequests.OnThreadAsync(() =>
        {
            thread.SetResult(CurrentThread());
            try
            {
                return lease.Value.SendRequest(DirectoryRequests.AnnAlone).ResultCode;
            }
            finally
            {
                // A thread that has ended must not be signalled.
                signalled.Wait();
            }
        });
        var asker = await thread.Task;
        try
        {
            await Patience.UntilAsync(() => clock.ArmedTimers == 1, "the server delays its answer");
            for (var signal = 0; signal < 5; signal++)
            {
                await Patience.PauseAsync(50);
                Assert.Equal(0, Signal(asker, ChildEnded));
            }
        }
        finally
        {
            signalled.Set();
        }

        Assert.False(asking.IsCompleted);
        clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal((ResultCode.Success, false), (await Patience.WithinAsync(asking), lease.Value.IsBroken));
    }

#pragma warning disable SYSLIB1054 // A generated one needs unsafe code.
    [DllImport("libc", EntryPoint = "pthread_self")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint CurrentThread();

    [DllImport("libc", EntryPoint = "pthread_kill")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Signal(nint thread, int signal);
#pragma warning restore SYSLIB1054
}
