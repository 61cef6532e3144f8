using System.Runtime.InteropServices;
using Poolhouse.Ldap.Internal.Servers;

namespace Poolhouse.Ldap.Internal.Native;

/// <summary>The lookup of SRV records, which System.Net does not support.</summary>
internal static partial class Libldap
{
    private const int Unknown = -1;

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int FindHosts(nint domain, ref nint hosts);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void Free(nint memory);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint LocateError();

    /// <summary>
    /// Queries DNS for the servers of a domain. Blocks until there is an answer or the resolver of the system times out.
    /// </summary>
    /// <param name="domain">The domain, in ASCII.</param>
    /// <returns>The answer: by priority, and among equals at random by weight.</returns>
    /// <exception cref="DllNotFoundException">The library is missing.</exception>
    public static DnsAnswer QueryDns(string domain)
    {
        try
        {
            // Ensures that the library is the one that connections use, and that it is set to restart after signals.
            LdapInternals.Prepare();
        }
        catch (Exception failure) when (IsMissing(failure))
        {
            throw Missing(failure);
        }

        if (TryFind<FindHosts>("ldap_domain2hostlist") is not { } findHosts || TryFind<Free>("ldap_memfree") is not { } free)
        {
            throw Missing(new DllNotFoundException());
        }

        // The library has one result for every failure. The reason is in the error variable of the C library, per thread.
        var locateError = NativeLibrary.TryGetExport(NativeLibrary.GetMainProgramHandle(), "__h_errno_location", out var location)
            ? Marshal.GetDelegateForFunctionPointer<LocateError>(location)
            : null;
        var (name, hosts) = (Marshal.StringToCoTaskMemUTF8(domain), (nint)0);
        try
        {
            if (locateError is not null)
            {
                Marshal.WriteInt32(locateError(), 0);
            }

            var result = findHosts(name, ref hosts);
            var code = result == Success ? 0 : locateError is null ? Unknown : Marshal.ReadInt32(locateError());
            return new DnsAnswer(Marshal.PtrToStringUTF8(hosts), code);
        }
        finally
        {
            Marshal.FreeCoTaskMem(name);
            if (hosts != 0)
            {
                free(hosts);
            }
        }
    }
}
