using System.Runtime.InteropServices;

namespace Poolhouse.Ldap.Internal.Native;

/// <summary>Checks without traffic whether the peer of a socket has closed it.</summary>
internal static class SocketState
{
    // POLLERR, POLLHUP and POLLNVAL are always reported. POLLRDHUP is reported although unread bytes precede the end, such as a
    // notice of disconnection or the closing messages of TLS.
    private const short Error = 0x8;
    private const short HungUp = 0x10;
    private const short Invalid = 0x20;
    private const short OtherEndHungUp = 0x2000;

    /// <summary>
    /// Whether sockets can be checked on this system. Other systems do not distinguish the end from bytes before it.
    /// </summary>
    public static bool CanPoll => OperatingSystem.IsLinux();

    /// <summary>Whether the peer has closed the connection. One system call that does not wait.</summary>
    public static bool HasHungUp(int descriptor)
    {
        var request = new PollRequest { Descriptor = descriptor, Events = OtherEndHungUp };
        return Poll(ref request, 1, 0) > 0 && (request.Returned & (Error | HungUp | Invalid | OtherEndHungUp)) != 0;
    }

#pragma warning disable SYSLIB1054 // Blittable as it is; generated marshalling would need unsafe code.
    [DllImport("libc", EntryPoint = "poll", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Poll(ref PollRequest request, nuint count, int milliseconds);
#pragma warning restore SYSLIB1054

    [StructLayout(LayoutKind.Sequential)]
    private struct PollRequest
    {
        public int Descriptor;
        public short Events;
        public short Returned;
    }
}
