using Grpc.Core;
using Microsoft.AspNetCore.Http;

namespace Poolhouse.Samples.Recipes;

/// <summary>A service without a generated client: it answers with the message that it got.</summary>
internal static class Echo
{
    private static readonly Marshaller<byte[]> _bytes = Marshallers.Create(static bytes => bytes, static bytes => bytes);

    private static readonly Method<byte[], byte[]> _say = new(MethodType.Unary, "echo", "Say", _bytes, _bytes);

    public static async Task AnswerAsync(HttpContext context)
    {
        context.Response.ContentType = "application/grpc";
        await context.Request.Body.CopyToAsync(context.Response.Body);
        context.Response.AppendTrailer("grpc-status", "0");
    }

    internal sealed class Client(ChannelBase channel) : ClientBase<Client>(channel)
    {
        public AsyncUnaryCall<byte[]> SayAsync(byte[] message) => CallInvoker.AsyncUnaryCall(_say, host: null, default, message);

        protected override Client NewInstance(ClientBaseConfiguration configuration) => throw new NotSupportedException();
    }
}
